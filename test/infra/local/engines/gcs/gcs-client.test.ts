/** The local GCS engine, called by the official client with its default settings for retries and validation. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type Bucket, Storage } from '@google-cloud/storage';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startGcs } from '../../../../../infra/local/engines/gcs/index.ts';
import { type Stops, serve, stopAll, tempDir } from '../../../../harness/store/store-stands.ts';

const KiB = 1 << 10;
const MiB = 1 << 20;
const stops: Stops = [];
let storage: Storage;
let bucket: Bucket;
beforeAll(async () => {
  const apiEndpoint = await serve(stops, startGcs({ dir: tempDir(stops) }).listener);
  storage = new Storage({ apiEndpoint, projectId: 'demo' });
  [bucket] = await storage.createBucket('official');
});
afterAll(() => stopAll(stops));

const status = (code: number, reason?: string) => (error: unknown) => {
  const { code: got, errors } = error as { code?: number; errors?: { reason?: string }[] };
  equal(got, code, String(error));
  if (reason !== undefined) equal(errors?.[0]?.reason, reason);
  return true;
};

describe('gcs engine: uploads', () => {
  for (const resumable of [false, true])
    for (const validation of ['crc32c', 'md5'] as const)
      test(`a ${resumable ? 'resumable' : 'simple'} upload with ${validation} validation is read back`, async () => {
        const bytes = randomBytes(3 * MiB + 17);
        const file = bucket.file(`upload/${resumable}/${validation} ü`);
        await file.save(bytes, { resumable, validation, metadata: { metadata: { made: 'here' } } });
        equal(file.metadata.md5Hash, createHash('md5').update(bytes).digest('base64'));
        equal(file.metadata.metadata?.made, 'here');
        const [read] = await file.download({ validation });
        ok(read.equals(bytes));
      });

  test('a resumable upload in chunks of 256 KiB is read back', async () => {
    const bytes = randomBytes(1_000 * KiB + 3);
    await bucket.file('chunked').save(bytes, { resumable: true, chunkSize: 256 * KiB });
    ok((await bucket.file('chunked').download())[0].equals(bytes));
  });

  test('a partial upload is continued on the same session', async () => {
    const bytes = randomBytes(600 * KiB);
    const file = bucket.file('partial');
    const [uri] = await file.createResumableUpload();
    const write = (part: Buffer, options: object) =>
      new Promise<void>((resolve, reject) => {
        const stream = file.createWriteStream({ uri, chunkSize: MiB, validation: false, ...options });
        stream.once('finish', resolve).once('error', reject).end(part);
      });
    await write(bytes.subarray(0, 512 * KiB), { offset: 0, isPartialUpload: true });
    deepEqual(await file.exists(), [false]);
    await write(bytes.subarray(512 * KiB), { offset: 512 * KiB });
    ok((await file.download())[0].equals(bytes));
  });

  for (const resumable of [false, true])
    test(`a ${resumable ? 'resumable' : 'simple'} upload with another checksum in its metadata is refused`, async () => {
      const file = bucket.file('damaged');
      const metadata = { crc32c: 'AAAAAA==' };
      await rejects(file.save(Buffer.from('bytes'), { resumable, validation: false, metadata }), status(400));
      deepEqual(await file.exists(), [false]);
    });
});

describe('gcs engine: preconditions', () => {
  for (const resumable of [false, true])
    test(`a ${resumable ? 'resumable' : 'simple'} upload over another generation is refused`, async () => {
      const file = bucket.file(`condition/${resumable}`);
      const save = (text: string, ifGenerationMatch: number | string) =>
        file.save(text, { resumable, preconditionOpts: { ifGenerationMatch } });
      await rejects(save('none yet', 7), status(412));
      await save('first', 0);
      const first = String(file.metadata.generation);
      await rejects(save('second', 0), status(412));
      await save('second', first);
      ok(BigInt(String(file.metadata.generation)) > BigInt(first));
      await rejects(save('third', first), status(412));
      equal((await file.download())[0].toString(), 'second');
    });

  test('a resumable upload is refused at its end if the object was written meanwhile', async () => {
    const file = bucket.file('condition/meanwhile');
    const [uri] = await file.createResumableUpload({ preconditionOpts: { ifGenerationMatch: 0 } });
    await bucket.file('condition/meanwhile').save('other');
    await rejects(file.save('ours', { resumable: true, uri }), status(412));
    equal((await file.download())[0].toString(), 'other');
  });

  test('reading and deleting take conditions and generations', async () => {
    const file = bucket.file('condition/read');
    await file.save('bytes');
    const { generation } = file.metadata;
    ok(generation !== undefined);
    equal((await file.getMetadata({ ifGenerationMatch: generation }))[0].size, '5');
    await rejects(file.getMetadata({ ifGenerationMatch: 1 }), status(412, 'conditionNotMet'));
    await rejects(file.getMetadata({ ifMetagenerationMatch: 2 }), status(412, 'conditionNotMet'));
    await rejects(file.getMetadata({ ifGenerationNotMatch: generation }), status(304));
    equal((await bucket.file('condition/read', { generation }).download())[0].toString(), 'bytes');
    await rejects(bucket.file('condition/read', { generation: 1 }).download(), status(404));
    await rejects(file.delete({ ifGenerationMatch: 1 }), status(412, 'conditionNotMet'));
    await file.delete({ ifGenerationMatch: generation });
    deepEqual(await file.exists(), [false]);
  });
});

describe('gcs engine: reading', () => {
  test('ranges are exact, and one beyond the end is refused', async () => {
    const bytes = randomBytes(1_000);
    const file = bucket.file('range');
    await file.save(bytes);
    ok((await file.download({ start: 10, end: 19 }))[0].equals(bytes.subarray(10, 20)));
    ok((await file.download({ start: 990 }))[0].equals(bytes.subarray(990)));
    ok((await file.download({ end: -5 }))[0].equals(bytes.subarray(995)));
    await rejects(file.download({ start: 1_000, end: 1_001 }), status(416));
  });

  test('lists go by page, prefix and delimiter', async () => {
    for (const name of ['l/a', 'l/b/1', 'l/b/2', 'l/c']) await bucket.file(name).save(name);
    const pages: string[][] = [];
    for (let query: object | null = { prefix: 'l/', maxResults: 3, autoPaginate: false }; query; ) {
      const [page, next]: [{ name: string }[], object | null, ...unknown[]] = await bucket.getFiles(query);
      pages.push(page.map(({ name }) => name));
      query = next;
    }
    deepEqual(pages, [['l/a', 'l/b/1', 'l/b/2'], ['l/c']]);
    const [files, , answer] = await bucket.getFiles({ prefix: 'l/', delimiter: '/', autoPaginate: false });
    deepEqual([files.map(({ name }) => name), (answer as { prefixes?: string[] }).prefixes], [['l/a', 'l/c'], ['l/b/']]);
  });

  test('a missing object and a missing bucket have different errors', async () => {
    await rejects(bucket.file('none').getMetadata(), (error: Error) => /No such object: official\/none/.test(error.message));
    await rejects(bucket.file('none').delete(), status(404, 'notFound'));
    const elsewhere = storage.bucket('no-such-bucket').file('none');
    await rejects(elsewhere.getMetadata(), (error: Error) => /bucket does not exist/.test(error.message));
    await rejects(elsewhere.save('x', { resumable: false }), status(404));
  });
});
