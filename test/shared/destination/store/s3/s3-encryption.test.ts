/** Server-side encryption: every new object requests it, and an object that the store encrypted differently is not kept. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openConfiguredStore, type StoreConfig } from '../../../../../shared/destination/open/open-store.ts';
import { probeStore } from '../../../../../shared/destination/probe/probe-store.ts';
import {
  bucket,
  keys,
  openAt,
  quick,
  type Stops,
  serve,
  startS3,
  stopAll,
  tenant,
} from '../../../../harness/store/store-stands.ts';

const MiB = 1 << 20;
const header = 'x-amz-server-side-encryption';
const keyId = '1234abcd-12ab-34cd-56ef-1234567890ab';
const kms = { sse: 'aws:kms', sseKmsKeyId: keyId } as const;
const aes = { sse: 'AES256', sseKmsKeyId: null } as const;
const stops: Stops = [];
const asked: { readonly what: string; readonly headers: Readonly<Record<string, unknown>> }[] = [];
let url: string;
/** The encryption that the scripted store reports; undefined if it reports none. */
let told: string | undefined;
/** The key that the store reports. */
let toldKey: string | undefined;
/** With KMS an ETag is not a digest. */
let tagOf: (body: Buffer) => string;

beforeAll(async () => {
  let size = 0;
  url = await serve(stops, async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => []));
    const { method = '', url: path = '', headers } = request;
    const isBegin = path.includes('uploads');
    const what = isBegin
      ? 'begin'
      : path.includes('partNumber')
        ? 'part'
        : path.includes('uploadId')
          ? `${method} upload`
          : method;
    asked.push({ what, headers });
    if (what === 'PUT') size = body.length;
    if (what === 'part') size += body.length;
    if (['PUT', 'part', 'HEAD'].includes(what)) response.setHeader('etag', what === 'HEAD' ? '"whole"' : `"${tagOf(body)}"`);
    if (told !== undefined && ['PUT', 'HEAD'].includes(what)) response.setHeader(header, told);
    if (toldKey !== undefined && what === 'PUT') response.setHeader(`${header}-aws-kms-key-id`, toldKey);
    if (what === 'HEAD') response.setHeader('content-length', size);
    if (isBegin) {
      size = 0;
      return void response.end('<R><UploadId>u</UploadId></R>');
    }
    if (what === 'DELETE upload') return void response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>');
    response.end(what === 'POST upload' ? '<R><ETag>"whole"</ETag></R>' : '');
  });
});
afterAll(() => stopAll(stops));

const reset = (says: string | undefined) => {
  asked.length = 0;
  told = says;
  toldKey = undefined;
  tagOf = (body) => createHash('md5').update(body).digest('hex');
};
const names = () => asked.map(({ what }) => what);
const sentWith = (what: string) => {
  const { headers = {} } = asked.find((one) => one.what === what) ?? {};
  return [headers[header], headers[`${header}-aws-kms-key-id`]];
};

describe('a store that encrypts as requested', () => {
  for (const [type, setting, wanted] of [
    ['s3', aes, ['AES256', undefined]],
    ['s3', kms, ['aws:kms', keyId]],
    ['s3', { sse: 'aws:kms', sseKmsKeyId: null }, ['aws:kms', undefined]],
    ['spaces', aes, ['AES256', undefined]],
  ] as const)
    test(`${type} with ${wanted.join(' and ')}: objects and uploads request it`, async () => {
      reset(setting.sse);
      const store = await openAt(type, url, { folder: '', config: setting });
      await store.put('k', Buffer.from('x'));
      deepEqual(sentWith('PUT'), wanted);
      const upload = store.upload('k');
      await upload.write([randomBytes(9 * MiB)]);
      equal((await upload.finish()).size, 9 * MiB);
      deepEqual(sentWith('begin'), wanted);
      deepEqual(sentWith('part'), [undefined, undefined]);
      store.close();
    });

  test('confirms objects whose ETag is not a digest because of KMS', async () => {
    reset('aws:kms');
    tagOf = () => '0'.repeat(32);
    const store = await openAt('spaces', url, { folder: '', config: kms });
    await store.put('k', Buffer.from('x'));
    const upload = store.upload('k');
    await upload.write([randomBytes(9 * MiB)]);
    await upload.finish();
    deepEqual(names().filter((what) => what === 'PUT').length, 1);
    store.close();
  });
});

test('s3: without the setting no encryption is requested, whatever the bucket’s default', async () => {
  for (const place of [{}, { sse: null, sseKmsKeyId: null }]) {
    reset('aws:kms');
    const store = await openAt('s3', url, { folder: '', config: place });
    await store.put('k', Buffer.from('x'));
    deepEqual(sentWith('PUT'), [undefined, undefined]);
    store.close();
  }
});

describe('a store that encrypts differently', () => {
  for (const [what, says, reason] of [
    ['not at all', undefined, /ignores the setting/],
    ['with another algorithm', 'AES256', /used another algorithm/],
  ] as const)
    test(`keeps no object that it encrypted ${what}`, async () => {
      reset(says);
      const store = await openAt('s3', url, { folder: '', config: kms });
      await rejects(store.put('k', Buffer.from('x')), { name: 'StorageError', code: 'invalid', message: reason });
      deepEqual(names(), ['PUT', 'DELETE']);
      asked.length = 0;
      const upload = store.upload('k');
      await upload.write([randomBytes(9 * MiB)]);
      await rejects(upload.finish(), { name: 'StorageError', code: 'invalid', message: reason });
      equal(names().at(-1), 'DELETE');
      store.close();
    });

  test('fails the write step of a probe with the reason, and leaves nothing', async () => {
    reset(undefined);
    process.env.S3_URL = url;
    const place: StoreConfig = { type: 's3', bucket, region: null, endpoint: null, objectLock: null, ...aes };
    const { failure } = await probeStore(tenant, { ...place, prefix: '', immutable: false }, { credentials: keys });
    equal(failure?.step, 'write');
    match(failure?.reason ?? '', /did not encrypt the object with AES256: it ignores the setting/);
    deepEqual(names(), ['PUT', 'DELETE']);
  });
});

test('s3: an object with another KMS key fails the write; the ARN of the requested key does not', async () => {
  const store = await openAt('s3', url, { folder: '', config: kms });
  reset('aws:kms');
  toldKey = `arn:aws:kms:eu-central-1:111122223333:key/${keyId}`;
  await store.put('k', Buffer.from('x'));
  toldKey = 'arn:aws:kms:eu-central-1:111122223333:key/0000abcd-12ab-34cd-56ef-1234567890ab';
  await rejects(store.put('k', Buffer.from('x')), { code: 'invalid', message: /used another key/ });
  store.close();
});

test('s3: the local engine keeps the encryption of objects and rejects a missing key', async () => {
  const local = await startS3(stops);
  const store = await openAt('s3', local, { folder: 'f', config: kms });
  await store.put('k', Buffer.from('x'));
  const upload = store.upload('u');
  await upload.write([randomBytes(9 * MiB)]);
  await upload.finish();
  equal(Buffer.from(await store.get('k')).toString(), 'x');
  store.close();
  const missing = await openAt('s3', local, { folder: 'f', config: { sse: 'aws:kms', sseKmsKeyId: 'alias/missing' } });
  await rejects(missing.put('k', Buffer.from('x')), { code: 'invalid', message: /400 KMS.NotFoundException/ });
  missing.close();
  const place: StoreConfig = { type: 's3', bucket, region: null, endpoint: null, objectLock: null, ...aes };
  const ignoring = await openConfiguredStore(tenant, {
    config: place,
    credentials: { ...keys, accessKeyId: 'nosse' },
    folder: 'f',
    retryPolicy: quick,
  });
  await rejects(ignoring.put('k', Buffer.from('x')), { message: /ignores the setting/ });
  ok(!(await ignoring.head('k')));
  ignoring.close();
});
