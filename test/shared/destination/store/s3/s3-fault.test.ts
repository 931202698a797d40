import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ObjectStore, StorageError } from '../../../../../shared/destination/index.ts';
import { type Fault, type FaultProxy, openFaultProxy, type Seen, s3Error } from '../../../../harness/faults/fault-proxy.ts';
import { keys, openAt, openS3InParts, quick, type Stops, startS3, stopAll } from '../../../../harness/store/store-stands.ts';

const MiB = 1 << 20;
const slowDown = s3Error(503, 'SlowDown');
const isPut = ({ method, path }: Seen) => method === 'PUT' && !path.includes('partNumber');
const isPart = (seen: Seen, number?: number) => seen.path.includes(`partNumber=${number ?? ''}`);
const isBegin = ({ method, path }: Seen) => method === 'POST' && path.includes('uploads');
const isComplete = ({ method, path }: Seen) => method === 'POST' && path.includes('uploadId=');
const isAbort = ({ method, path }: Seen) => method === 'DELETE' && path.includes('uploadId=');
const isGet = ({ method, path }: Seen) => method === 'GET' && !path.includes('list-type');
const isHead = ({ method }: Seen) => method === 'HEAD';

for (const type of ['s3', 'spaces'] as const)
  describe(type, () => {
    const stops: Stops = [];
    const failures: unknown[] = [];
    let proxy: FaultProxy;
    let store: ObjectStore;
    let behind: ObjectStore;
    beforeAll(async () => {
      const url = await startS3(stops);
      proxy = await openFaultProxy(stops, url);
      behind = await openS3InParts(type, { url, folder: 'fault' });
      store = await openS3InParts(type, { url: proxy.url, folder: 'fault' });
      stops.push(
        () => behind.close(),
        () => store.close(),
      );
    });
    afterAll(() => stopAll(stops));

    const script = (fault: (seen: Seen, before: number) => Fault | undefined) => proxy.script(fault);
    const count = (which: (seen: Seen) => boolean) => proxy.seen.filter((seen) => which(seen)).length;
    const fails = (work: Promise<unknown>, wanted: Partial<Pick<StorageError, 'code' | 'bucket'>>) =>
      rejects(work, (error: unknown) => {
        failures.push(error);
        ok(error instanceof StorageError, String(error));
        deepEqual({ code: error.code, bucket: error.bucket }, { bucket: false, ...wanted });
        return true;
      });
    const uploadOf = async (name: string, bytes: Uint8Array) => {
      const upload = store.upload(name);
      await upload.write([bytes]);
      return upload;
    };
    const leavesNothing = async (name: string) => {
      script(() => undefined);
      equal(await behind.head(name), undefined);
      equal(await behind.abortUnfinishedUploads(name), 0);
    };

    test('three transient errors are retried with the same bytes', async () => {
      const bytes = randomBytes(50_000);
      script((_, before) => (before < 3 ? slowDown : undefined));
      await store.put('busy', bytes);
      equal(proxy.seen.length, 4);
      for (const { body } of proxy.seen) ok(body.equals(bytes));
      for (const work of [
        () => store.get('busy'),
        () => store.head('busy'),
        () => Array.fromAsync(store.list('busy')),
        () => store.remove(['busy']),
      ]) {
        script((_, before) => (before < 3 ? slowDown : undefined));
        await work();
        equal(proxy.seen.length, 4);
      }
    });

    for (const word of ['KMS.ThrottlingException', 'ThrottlingException', 'RequestTimeout'])
      test(`400 ${word} is retried, although its status is not that of a transient error`, async () => {
        script((_, before) => (before === 0 ? s3Error(400, word) : undefined));
        await store.put('busy', Buffer.from('x'));
        equal(proxy.seen.length, 2);
      });

    test('a persistent transient error is unavailable', async () => {
      script(() => slowDown);
      await fails(store.put('busy', Buffer.from('x')), { code: 'unavailable' });
      equal(proxy.seen.length, quick.attempts);
    });

    test('an upload retries transient errors at every step', async () => {
      const bytes = randomBytes(11 * MiB);
      let refused = 0;
      script((seen) => {
        const isFirst = proxy.seen.filter(({ method, path }) => method === seen.method && path === seen.path).length === 1;
        refused += Number(isFirst);
        return isFirst ? slowDown : undefined;
      });
      equal((await (await uploadOf('steps', bytes)).finish()).size, bytes.length);
      equal(refused, 7, 'begin, three parts, complete, look, and see whether the first beginning left anything');
      ok(Buffer.from(await behind.get('steps')).equals(bytes));
    });

    for (const [status, word, wanted] of [
      [403, 'AccessDenied', { code: 'denied' }],
      [403, 'SignatureDoesNotMatch', { code: 'denied' }],
      [403, 'InvalidAccessKeyId', { code: 'denied' }],
      [400, 'ExpiredToken', { code: 'denied' }],
      [404, 'NoSuchBucket', { code: 'missing', bucket: true }],
      [400, 'AuthorizationHeaderMalformed', { code: 'invalid' }],
      [400, 'InvalidRequest', { code: 'invalid' }],
      [400, 'KMS.DisabledException', { code: 'invalid' }],
    ] as const)
      test(`${status} ${word} is ${wanted.code} at once, for small and large objects`, async () => {
        script((seen) => (isPut(seen) ? s3Error(status, word) : undefined));
        await fails(store.put('refused', Buffer.from('x')), wanted);
        equal(proxy.seen.length, 1);
        script((seen) => (isBegin(seen) ? s3Error(status, word) : undefined));
        await fails((await uploadOf('refused', randomBytes(6 * MiB))).finish(), wanted);
        equal(count(isBegin), 1);
        script((seen) => (isGet(seen) ? s3Error(status, word) : undefined));
        await fails(store.get('refused'), wanted);
        equal(proxy.seen.length, 1);
      });

    test('a rejected part fails the upload, which leaves nothing', async () => {
      script((seen) => (isPart(seen, 2) ? s3Error(403, 'AccessDenied') : undefined));
      const upload = await uploadOf('part', randomBytes(6 * MiB)).catch(() => undefined);
      await fails(upload ? upload.write([randomBytes(6 * MiB)]).then(() => upload.finish()) : Promise.reject(), {
        code: 'denied',
      });
      await upload?.abort();
      equal(
        count((seen) => isPart(seen, 2)),
        1,
      );
      equal(count(isAbort), 1);
      await leavesNothing('part');
    });

    test('a completion that responds 200 with an error fails, and the upload is aborted', async () => {
      script((seen) => (isComplete(seen) ? s3Error(200, 'InternalError') : undefined));
      await fails((await uploadOf('two-hundred', randomBytes(6 * MiB))).finish(), { code: 'unavailable' });
      equal(count(isComplete), quick.attempts);
      equal(count(isAbort), 1);
      await leavesNothing('two-hundred');
      script((seen) => (isComplete(seen) ? s3Error(200, 'InvalidPart') : undefined));
      await fails((await uploadOf('two-hundred', randomBytes(6 * MiB))).finish(), { code: 'unavailable' });
      await leavesNothing('two-hundred');
    });

    test('a completion that responds 200 with only white space is retried', async () => {
      const bytes = randomBytes(6 * MiB);
      const blank = { answer: { status: 200, body: ' \n' } };
      script((seen) => (isComplete(seen) && count(isComplete) === 1 ? blank : undefined));
      equal((await (await uploadOf('blank', bytes)).finish()).size, bytes.length);
      equal(count(isComplete), 2);
      ok(Buffer.from(await behind.get('blank')).equals(bytes));
    });

    test('a start whose response is lost leaves no upload behind', async () => {
      for (const name of ['twins', 'twins-refused']) {
        script((seen, before) =>
          isBegin(seen) && before === 0
            ? 'lost'
            : isComplete(seen) && name !== 'twins'
              ? s3Error(403, 'AccessDenied')
              : undefined,
        );
        const ended = await (await uploadOf(name, randomBytes(6 * MiB))).finish().catch((error: unknown) => error);
        equal(ended instanceof StorageError, name !== 'twins');
        equal(count(isBegin), 2);
        script(() => undefined);
        equal(await behind.abortUnfinishedUploads(name), 0);
      }
    });

    test('a small upload that may have arrived is deleted; after a rejected one nothing is deleted', async () => {
      script((seen) => (isPut(seen) ? 'lost' : undefined));
      await fails((await uploadOf('perhaps', Buffer.from('x'))).finish(), { code: 'unavailable' });
      equal(await behind.head('perhaps'), undefined);
      await behind.put('before', Buffer.from('before'));
      script((seen) => (isPut(seen) ? s3Error(400, 'InvalidRequest') : undefined));
      await fails((await uploadOf('before', Buffer.from('x'))).finish(), { code: 'invalid' });
      equal((await behind.head('before'))?.size, 6);
    });

    test('a completion whose response is lost is detected by a HEAD request and not repeated', async () => {
      const bytes = randomBytes(6 * MiB);
      script((seen) => (isComplete(seen) ? 'lost' : undefined));
      equal((await (await uploadOf('lost', bytes)).finish()).size, bytes.length);
      equal(count(isComplete), 1);
      equal(count(isHead), 1);
      ok(Buffer.from(await behind.get('lost')).equals(bytes));
    });

    test('an older object of the same name and size is not taken for the lost one', async () => {
      const [old, bytes] = [randomBytes(6 * MiB), randomBytes(6 * MiB)];
      const first = behind.upload('older');
      await first.write([old]);
      await first.finish();
      script((seen) => (isComplete(seen) ? s3Error(403, 'AccessDenied') : undefined));
      await fails((await uploadOf('older', bytes)).finish(), { code: 'denied' });
      ok(Buffer.from(await behind.get('older')).equals(old));
    });

    test('lost responses before the completion are retried', async () => {
      const bytes = randomBytes(6 * MiB);
      script((seen, before) => ((isPart(seen) || isPut(seen)) && before === 0 ? 'lost' : undefined));
      await (await uploadOf('parts-lost', bytes)).finish();
      ok(Buffer.from(await behind.get('parts-lost')).equals(bytes));
      await store.put('put-lost', bytes.subarray(0, 100));
      ok(Buffer.from(await behind.get('put-lost')).equals(bytes.subarray(0, 100)));
    });

    test('bytes that are damaged in transit are rejected by the store and sent again', async () => {
      const bytes = randomBytes(6 * MiB);
      const body = (seen: Seen) =>
        (isPut(seen) || isPart(seen)) && proxy.seen.filter(({ path }) => path === seen.path).length === 1;
      script((seen) => (body(seen) ? 'flipped' : undefined));
      await (await uploadOf('flipped', bytes)).finish();
      await store.put('flipped-put', bytes.subarray(0, 99));
      ok(Buffer.from(await behind.get('flipped')).equals(bytes));
      ok(Buffer.from(await behind.get('flipped-put')).equals(bytes.subarray(0, 99)));
    });

    test('a store that has other bytes five times in a row is defective, and says of which object', async () => {
      const patient = await openAt(type, proxy.url, {
        folder: 'fault',
        retryPolicy: { ...quick, attempts: 7 },
        s3PartBytes: 5 * MiB,
      });
      const kind = type === 's3' ? 'crc32' : 'md5';
      const bytes = randomBytes(6 * MiB);
      const isFlipped = (times: number) => (seen: Seen, before: number) =>
        (isPut(seen) || isPart(seen)) && before < times ? 'flipped' : undefined;
      const defect = (object: string) => (error: StorageError) => {
        deepEqual([error.code, error.mismatch?.object, error.mismatch?.actual], ['invalid', object, undefined]);
        ok(error.mismatch?.expected.startsWith(`${kind}:`) && error.message.includes(error.mismatch.expected), error.message);
        ok(error.message.includes(object), error.message);
        return true;
      };
      script(isFlipped(100));
      await rejects(patient.put('defect', bytes.subarray(0, 99)), defect('defect'));
      equal(count(isPut), 5);
      script(isFlipped(100));
      const upload = patient.upload('defect-parts');
      await rejects(
        upload.write([bytes]).then(() => upload.finish()),
        defect('defect-parts'),
      );
      await upload.abort();
      script((seen, before) => (isPut(seen) ? (before === 3 ? slowDown : before < 6 ? 'flipped' : undefined) : undefined));
      await patient.put('healed', bytes.subarray(0, 99));
      deepEqual([await behind.head('defect'), (await behind.head('healed'))?.size], [undefined, 99]);
      patient.close();
    });

    test('a truncated response is requested again, and never taken for the whole object', async () => {
      const bytes = randomBytes(10_000);
      await behind.put('cut', bytes);
      script((_, before) => (before === 0 ? 'cut' : undefined));
      ok(Buffer.from(await store.get('cut')).equals(bytes));
      script((_, before) => (before === 0 ? 'cut' : undefined));
      ok(Buffer.from(await store.get('cut', { offset: 5, length: 9_000 })).equals(bytes.subarray(5, 9_005)));
      script(() => 'cut');
      await fails(store.get('cut'), { code: 'unavailable' });
    });

    test('a missing bucket is distinguished from a missing object', async () => {
      const elsewhere = await openAt(type, proxy.url, { folder: 'fault', config: { bucket: 'no-such-bucket' } });
      script(() => undefined);
      await fails(elsewhere.put('x', Buffer.from('x')), { code: 'missing', bucket: true });
      await fails(Array.fromAsync(elsewhere.list('')), { code: 'missing', bucket: true });
      await fails(store.get('none'), { code: 'missing' });
      elsewhere.close();
    });

    test('a list of several pages is read completely', async () => {
      const page = (names: readonly string[], next: string) =>
        `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${names
          .map((name) => `<Contents><Key>fault/${name}</Key><Size>7</Size></Contents>`)
          .join('')}</ListBucketResult>`;
      script(({ path }) => ({
        answer: { status: 200, body: path.includes('continuation-token=second') ? page(['c'], '') : page(['a', 'b'], 'second') },
      }));
      deepEqual(
        (await Array.fromAsync(store.list(''))).map(({ name }) => name),
        ['a', 'b', 'c'],
      );
    });

    test('a signal ends the back-off at once', async () => {
      const patient = await openAt(type, proxy.url, {
        folder: 'fault',
        retryPolicy: { ...quick, firstDelayMs: 60_000, maxDelayMs: 60_000 },
      });
      const end = new AbortController();
      script(() => {
        setImmediate(() => end.abort(new Error('enough')));
        return slowDown;
      });
      await rejects(patient.put('x', Buffer.from('x'), { signal: end.signal }), /enough/);
      equal(proxy.seen.length, 1);
      patient.close();
    });

    test('no error contains a key', () => {
      ok(failures.length > 20);
      const shown = inspect(failures, { depth: 12, showHidden: true });
      ok(!shown.includes(keys.secretAccessKey) && !shown.includes('Signature='));
      for (const failure of failures as StorageError[]) ok(!failure.message.includes(keys.accessKeyId));
    });
  });
