/** Locks of stored objects in S3 and Cloud Storage: set, read back, extended, never shortened. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectRetentionCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ObjectStore, StorageError } from '../../../../shared/destination/index.ts';
import {
  bucket,
  enableObjectLock,
  openAt,
  ownerOf,
  type Stops,
  startGoogle,
  startS3,
  startTokens,
  stopAll,
} from '../../../harness/store/store-stands.ts';

const day = (days: number): Date => new Date(Math.ceil(Date.now() / 1_000) * 1_000 + days * 24 * 3_600_000);
const code = (expected: StorageError['code']) => (error: unknown) => error instanceof StorageError && error.code === expected;
const stops: Stops = [];
let s3: string;
let gcs: string;
let owner: S3Client;
beforeAll(async () => {
  s3 = await startS3(stops);
  await enableObjectLock(s3);
  owner = ownerOf(s3);
  await startTokens(stops);
  gcs = await startGoogle(stops);
});
afterAll(() => stopAll(stops));

const open = async (type: 's3' | 'gcs', mode: 'governance' | 'compliance' = 'governance', accessKeyId?: string) => {
  const config = { objectLock: { mode, days: 1 } } as const;
  return openAt(type, type === 's3' ? s3 : gcs, {
    folder: 'locks',
    config,
    ...(accessKeyId !== undefined && { credentials: { accessKeyId, secretAccessKey: 'secret' } }),
  });
};
const upload = async (
  store: ObjectStore,
  { name, bytes, lockedUntil }: { readonly name: string; readonly bytes: number; readonly lockedUntil: Date },
): Promise<void> => {
  const writing = store.upload(name, { lockedUntil });
  await writing.write([Buffer.alloc(bytes, 1)]);
  await writing.finish();
};

for (const type of ['s3', 'gcs'] as const)
  for (const mode of ['governance', 'compliance'] as const)
    describe(`${type} in ${mode} mode`, () => {
      test('the store reports the lock of a new object, however it was stored', async () => {
        const store = await open(type, mode);
        const fraction = new Date(day(1).getTime() - 500);
        await store.put(`${mode}/put`, Buffer.from('x'), { lockedUntil: fraction });
        await upload(store, { name: `${mode}/small`, bytes: 10, lockedUntil: day(1) });
        await upload(store, { name: `${mode}/parts`, bytes: 17 << 20, lockedUntil: day(1) });
        for (const name of ['put', 'small', 'parts']) {
          const state = await store.head(`${mode}/${name}`);
          ok(state?.lockedUntil && state.lockedUntil >= fraction, name);
          equal(state.isCompliance, mode === 'compliance');
        }
        await store.put(`${mode}/free`, Buffer.from('x'));
        equal((await store.head(`${mode}/free`))?.lockedUntil, undefined);
        store.close();
      });

      test('a lock is extended and never shortened', async () => {
        const store = await open(type, mode);
        const name = `${mode}/extended`;
        await store.put(name, Buffer.from('x'), { lockedUntil: day(1) });
        const extend = async (until: Date) => store.extendLock(name, (await store.head(name))!, { until: until });
        const three = day(3);
        equal((await extend(three))?.getTime(), three.getTime());
        equal((await extend(day(2)))?.getTime(), three.getTime());
        equal((await store.head(name))?.lockedUntil?.getTime(), three.getTime());
        // A caller with an outdated state cannot shorten it either.
        await rejects(
          store.extendLock(name, { size: 1, isCompliance: mode === 'compliance' }, { until: day(2) }),
          code('denied'),
        );
        await store.put(`${mode}/unlocked`, Buffer.from('x'));
        equal(
          (await store.extendLock(`${mode}/unlocked`, (await store.head(`${mode}/unlocked`))!, { until: three }))?.getTime(),
          three.getTime(),
        );
        store.close();
      });
    });

test('gcs: an object with an active lock is neither deleted nor replaced', async () => {
  const store = await open('gcs');
  await store.put('kept', Buffer.from('x'), { lockedUntil: day(1) });
  await rejects(store.remove(['kept']), code('denied'));
  await rejects(store.put('kept', Buffer.from('y')), code('denied'));
  equal(Buffer.from(await store.get('kept')).toString(), 'x');
  store.close();
});

test('s3: a locked object that was deleted is read from its locked version, which is the one extended', async () => {
  const store = await open('s3');
  const bytes = Buffer.from('hidden bytes');
  await store.put('hidden', bytes, { lockedUntil: day(1) });
  await store.put('free', bytes);
  await store.remove(['hidden', 'free']);
  equal(await store.head('free'), undefined);
  await rejects(store.get('free'), code('missing'));
  deepEqual((await Array.fromAsync(store.list('hidden'))).length, 0);
  ok(Buffer.from(await store.get('hidden')).equals(bytes));
  ok(Buffer.from(await store.get('hidden', { offset: 7, length: 5 })).equals(bytes.subarray(7, 12)));
  const state = await store.head('hidden');
  deepEqual([state?.size, state?.isHidden], [bytes.length, true]);
  const two = day(2);
  equal((await store.extendLock('hidden', state!, { until: two }))?.getTime(), two.getTime());
  const { Versions = [] } = await owner.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: 'locks/hidden' }));
  const [{ Key, VersionId } = {}] = Versions;
  await rejects(owner.send(new DeleteObjectCommand({ Bucket: bucket, Key, VersionId })), { name: 'AccessDenied' });
  store.close();
});

test('s3: a locked object that was overwritten is read from its locked version, however often', async () => {
  const store = await open('s3', 'compliance');
  const bytes = Buffer.from('locked bytes');
  const lockedUntil = day(1);
  await store.put('overwritten', bytes, { lockedUntil });
  const { version } = (await store.head('overwritten'))!;
  const object = { Bucket: bucket, Key: 'locks/overwritten' };
  const overwrite = (Body: string) => owner.send(new PutObjectCommand({ ...object, Body }));
  const isIntact = async (): Promise<void> => {
    const fresh = await open('s3', 'compliance');
    ok(Buffer.from(await fresh.get('overwritten')).equals(bytes));
    ok(Buffer.from(await fresh.get('overwritten', { offset: 7, length: 5 })).equals(bytes.subarray(7, 12)));
    const state = await fresh.head('overwritten');
    deepEqual([state?.size, state?.isHidden, state?.version], [bytes.length, true, version]);
    equal(state?.lockedUntil?.getTime(), lockedUntil.getTime());
    fresh.close();
  };
  for (const body of ['locked bytez', '', 'x', 'longer than the locked bytes']) {
    await overwrite(body);
    await isIntact();
  }
  for (let n = 0; n < 10; n++) await overwrite(`version ${n}`);
  await owner.send(new DeleteObjectCommand(object));
  await isIntact();
  // What the service itself replaces, such as a rewrapped key, is locked again.
  await store.put('overwritten', Buffer.from('new key'), { lockedUntil });
  equal(Buffer.from(await store.get('overwritten')).toString(), 'new key');
  equal((await store.head('overwritten'))?.isHidden, undefined);
  store.close();
});

test('s3: a shortened governance lock is reported as it is', async () => {
  const store = await open('s3');
  await store.put('shortened', Buffer.from('x'), { lockedUntil: day(5) });
  const RetainUntilDate = day(1);
  const Retention = { Mode: 'GOVERNANCE', RetainUntilDate } as const;
  const object = { Bucket: bucket, Key: 'locks/shortened', Retention, BypassGovernanceRetention: true };
  await owner.send(new PutObjectRetentionCommand(object));
  equal((await store.head('shortened'))?.lockedUntil?.getTime(), RetainUntilDate.getTime());
  store.close();
});

test('s3: missing permissions to lock, extend or read locks', async () => {
  const unable = await open('s3', 'governance', 'nolock1');
  await rejects(unable.put('x', Buffer.from('x'), { lockedUntil: day(1) }), code('denied'));
  const fixed = await open('s3', 'governance', 'noextend1');
  await fixed.put('fixed', Buffer.from('x'), { lockedUntil: day(1) });
  await rejects(fixed.extendLock('fixed', (await fixed.head('fixed'))!, { until: day(2) }), code('denied'));
  const blind = await open('s3', 'governance', 'noretention1');
  const state = await blind.head('fixed');
  equal(state?.lockedUntil, undefined);
  equal(await blind.extendLock('fixed', state!, { until: day(2) }), undefined);
  const plain = await openAt('s3', s3, { folder: 'locks' });
  await rejects(plain.extendLock('fixed', { size: 1 }, { until: day(9) }), code('invalid'));
  for (const store of [unable, fixed, blind, plain]) store.close();
});
