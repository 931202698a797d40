/** An object that was overwritten or deleted in a bucket that keeps versions is read from the version that was stored. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Storage } from '@google-cloud/storage';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  headExpected,
  type ObjectStore,
  objectThat,
  objectWithHash,
  openGcsAddress,
  openS3Address,
  readExpected,
  StorageError,
} from '../../../../shared/destination/index.ts';
import {
  account,
  bucket,
  enableObjectLock,
  keys,
  openAt,
  ownerOf,
  type Stops,
  startGoogle,
  startS3,
  startTokens,
  stopAll,
} from '../../../harness/store/store-stands.ts';

const day = (days: number): Date => new Date(Math.ceil(Date.now() / 1_000) * 1_000 + days * 24 * 3_600_000);
const stops: Stops = [];
let s3: string;
let gcs: string;
let owner: S3Client;
let google: ReturnType<Storage['bucket']>;
beforeAll(async () => {
  s3 = await startS3(stops);
  await enableObjectLock(s3);
  owner = ownerOf(s3);
  await startTokens(stops);
  gcs = await startGoogle(stops);
  google = new Storage({ apiEndpoint: gcs, projectId: 'demo' }).bucket(bucket);
  await google.setMetadata({ versioning: { enabled: true } });
});
afterAll(() => stopAll(stops));

const open = (type: 's3' | 'gcs'): Promise<ObjectStore> =>
  openAt(type, type === 's3' ? s3 : gcs, { folder: 'versions', config: { objectLock: { mode: 'compliance', days: 1 } } });

/** What an intruder with the rights of the owner does. */
const overwrite = async (type: 's3' | 'gcs', name: string, bytes: Buffer): Promise<void> => {
  if (type === 's3') {
    const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: day(9) } as const;
    await owner.send(new PutObjectCommand({ Bucket: bucket, Key: `versions/${name}`, Body: bytes, ...lock }));
  } else {
    const retention = { mode: 'Locked', retainUntilTime: day(9).toISOString() };
    await google.file(`versions/${name}`).save(bytes, { resumable: false, validation: false, metadata: { retention } });
  }
};
const hide = async (type: 's3' | 'gcs', name: string): Promise<void> => {
  if (type === 's3') await owner.send(new DeleteObjectCommand({ Bucket: bucket, Key: `versions/${name}` }));
  else await google.file(`versions/${name}`).delete();
};
const entryOf = (name: string, bytes: Buffer) => ({
  name,
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('base64url'),
});

for (const type of ['s3', 'gcs'] as const)
  describe(`${type}: versions`, () => {
    const bytes = Buffer.from(`the bytes of ${type} that were stored`);
    const read = async (store: ObjectStore, name: string): Promise<string> => {
      const expected = objectWithHash(entryOf(name, bytes));
      const whole = await readExpected(store, expected, async () => {
        const found = Buffer.from(await store.get(name, { offset: 0, length: bytes.length }));
        if (!found.equals(bytes)) throw new Error('wrong bytes');
        return found;
      });
      return whole.toString();
    };

    test('locked versions above it, of any size, and delete markers do not hide an object', async () => {
      const first = await open(type);
      await first.put('chunk', bytes, { lockedUntil: day(1) });
      await first.put('chunk-2', Buffer.from('x'), { lockedUntil: day(1) });
      const stored = await first.head('chunk');
      deepEqual(await first.versions!.overwritten(), new Set());
      first.close();
      const attacks = [
        () => overwrite(type, 'chunk', Buffer.alloc(bytes.length, 7)),
        () => overwrite(type, 'chunk', Buffer.alloc(1)),
        () => hide(type, 'chunk'),
        () => overwrite(type, 'chunk', Buffer.alloc(1_000)),
      ];
      for (const attack of attacks) {
        await attack();
        const store = await open(type);
        equal(await read(store, 'chunk'), bytes.toString());
        const state = await headExpected(await open(type), objectWithHash(entryOf('chunk', bytes)));
        deepEqual([state?.version, state?.isHidden, state?.size], [stored?.version, true, bytes.length]);
        equal(
          (await store.extendLock('chunk', state!, { until: state!.lockedUntil! }))?.getTime(),
          state!.lockedUntil!.getTime(),
        );
        store.close();
      }
      const store = await open(type);
      for (let n = 0; n < 30; n++) await overwrite(type, 'chunk', Buffer.alloc(bytes.length, n));
      deepEqual(await store.versions!.overwritten(), new Set(['chunk']));
      deepEqual(await Array.fromAsync(store.versions!.deleted('chunk')), []);
      equal(await read(store, 'chunk'), bytes.toString());
      // The lock of the version that was stored is extended, not that of the newest.
      const two = day(2);
      const state = await store.head('chunk');
      equal((await store.extendLock('chunk', state!, { until: two }))?.getTime(), two.getTime());
      equal((await store.head('chunk'))?.lockedUntil?.getTime(), two.getTime());
      // What the service stores itself counts at once.
      await store.put('chunk', Buffer.from('new'), { lockedUntil: day(1) });
      equal(Buffer.from(await store.get('chunk')).toString(), 'new');
      store.close();
    });

    test('a locked object that was deleted is read without knowing its content, an unlocked one is gone', async () => {
      const store = await open(type);
      await store.put('deleted', bytes, { lockedUntil: day(1) });
      await store.put('free', bytes);
      await store.remove(['deleted', 'free']);
      equal(Buffer.from(await store.get('deleted')).toString(), bytes.toString());
      deepEqual([(await store.head('deleted'))?.isHidden, await store.head('free')], [true, undefined]);
      await rejects(store.get('free'), (error) => error instanceof StorageError && error.code === 'missing');
      ok((await store.versions!.overwritten())?.has('deleted'));
      deepEqual(await Array.fromAsync(store.versions!.deleted('')), ['deleted', 'free']);
      store.close();
    });

    test('damage is not mistaken: without a version that matches the error stays', async () => {
      const store = await open(type);
      await store.put('damaged', Buffer.from('one'), { lockedUntil: day(1) });
      await overwrite(type, 'damaged', Buffer.from('two'));
      await rejects(read(store, 'damaged'), (error) => error instanceof StorageError && error.code === 'invalid');
      ok(!(await store.versions!.select(objectThat('absent', 100, () => true))));
      store.close();
    });

    test('the archive command opens a bucket by its address and finds the same', async () => {
      const store = await open(type);
      await store.put('address', bytes, { lockedUntil: day(1) });
      await overwrite(type, 'address', Buffer.alloc(bytes.length, 1));
      store.close();
      const by = { bucket, folder: 'versions', endpoint: type === 's3' ? s3 : gcs };
      const opened =
        type === 's3' ? openS3Address({ ...by, region: 'eu-central-1', credentials: keys }) : openGcsAddress({ ...by, account });
      const addressed = await opened;
      equal(await read(addressed, 'address'), bytes.toString());
      addressed.close();
    });
  });

test('gcs: a locked generation that is not live is not deleted before its time', async () => {
  const store = await open('gcs');
  await store.put('kept', Buffer.from('kept'), { lockedUntil: day(1) });
  const { version } = (await store.head('kept'))!;
  await google.file('versions/kept').delete();
  await rejects(google.file('versions/kept', { generation: version! }).delete(), { code: 403 });
  const [generations] = await google.getFiles({ prefix: 'versions/kept', versions: true });
  deepEqual(
    generations.map(({ metadata }) => [String(metadata.generation), metadata.timeDeleted !== undefined]),
    [[version, true]],
  );
  store.close();
});
