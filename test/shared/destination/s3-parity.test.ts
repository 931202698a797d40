/** What we send to buckets is what the official SDK would send, to where it would send it, signature included. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import * as s3 from '@aws-sdk/client-s3';
import { afterAll, beforeAll, test } from 'vitest';
import type { Store } from '../../../shared/destination/index.ts';
import { S3Client as OwnClient } from '../../../shared/destination/s3-client.ts';
import { digestOf } from '../../../shared/destination/s3-digest.ts';
import { signedHeaders } from '../../../shared/platform/index.ts';
import { bucket, keys, openAt, quick, type Stops, serve, stopAll } from '../../support/store-stand.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const odd = "ü %41+b/it's (one) of *these*!/x~y=z&w";
const stops: Stops = [];
const sent: Sent[] = [];
const answers: Readonly<Record<string, string>> = {
  uploads: '<InitiateMultipartUploadResult><UploadId>an+id/=</UploadId></InitiateMultipartUploadResult>',
  list: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
  delete: '<DeleteResult></DeleteResult>',
};
let store: Store;
let sdk: s3.S3Client;
beforeAll(async () => {
  const url = await serve(stops, async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    sent.push({ method: request.method!, url: request.url!, headers: request.headers as Record<string, string>, body });
    const what = ['uploads', 'list', 'delete'].find(
      (name) => request.url!.includes(`?${name}`) || request.url!.includes(`&${name}`),
    );
    response.writeHead(200, { 'content-type': 'application/xml', etag: '"tag"' }).end(what ? answers[what] : '');
  });
  store = await openAt('s3', url, 'folder', { ...quick, attempts: 1 }, { objectLock: { mode: 'compliance', days: 1 } as never });
  sdk = new s3.S3Client({
    ...{ endpoint: url, forcePathStyle: true, region: 'eu-central-1', credentials: { ...keys }, maxAttempts: 1 },
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
  });
  stops.push(
    () => store.close(),
    () => sdk.destroy(),
  );
});
afterAll(() => stopAll(stops));

const sentBy = async (call: () => Promise<unknown>): Promise<Sent> => {
  sent.length = 0;
  await call().catch(() => undefined);
  return sent[0]!;
};

const signatureOf = ({ method, url, headers, body }: Sent): string | undefined => {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const signed = Object.fromEntries(names.split(';').map((name) => [name, headers[name] ?? '']));
  const { host = '', 'x-amz-date': time = '', ...rest } = signed;
  const at = new Date(time.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z'));
  const [path = '', search = ''] = url.split('?');
  const query = Object.fromEntries(new URLSearchParams(search.replaceAll('+', '%2B')));
  return signedHeaders({ method, host, path, query, headers: rest, body }, { service: 's3', region: 'eu-central-1' }, keys, at)
    .authorization;
};

/** Headers that change what the store does. */
const telling =
  /^(range|content-md5|x-amz-(checksum-crc32|checksum-mode|checksum-algorithm|checksum-type|object-lock-.+|content-sha256))$/;
const meaning = ({ method, url, headers, body }: Sent): object => {
  const [path = '', search = ''] = url.split('?');
  const query = new URLSearchParams(search.replaceAll('+', '%2B'));
  query.delete('x-id');
  const isDocument = body.subarray(0, 1).toString() === '<';
  const told = Object.entries(headers).filter(([name]) => telling.test(name) && !(isDocument && /crc32|sha256/.test(name)));
  const said = isDocument
    ? [...body.toString().matchAll(/<(Key|ETag|PartNumber|ChecksumCRC32|Quiet)>([^<]*)/g)].map(([all]) => all).sort()
    : body.toString('hex');
  return { method, path, query: [...query].sort(), told: Object.fromEntries(told), said };
};

const bytes = Buffer.from('bytes');
const crcOf = (body: Buffer) => ({ ChecksumCRC32: digestOf('crc32', body).bytes.toString('base64') });
const until = new Date('2030-01-01T00:00:00Z');
const object = { Bucket: bucket, Key: `folder/${odd}` };
const lock = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: until } as const;
for (const [name, ours, theirs] of [
  [
    'PutObject',
    () => store.put(odd, bytes, { lockedUntil: until }),
    () => sdk.send(new s3.PutObjectCommand({ ...object, Body: bytes, ...crcOf(bytes), ...lock })),
  ],
  ['GetObject', () => store.get(odd), () => sdk.send(new s3.GetObjectCommand(object))],
  [
    'GetObject of a range',
    () => store.get(odd, { offset: 5, length: 10 }),
    () => sdk.send(new s3.GetObjectCommand({ ...object, Range: 'bytes=5-14' })),
  ],
  ['HeadObject', () => store.head(odd), () => sdk.send(new s3.HeadObjectCommand({ ...object, ChecksumMode: 'ENABLED' }))],
  [
    'ListObjectsV2',
    () => Array.fromAsync(store.list(odd)),
    () => sdk.send(new s3.ListObjectsV2Command({ Bucket: bucket, Prefix: object.Key })),
  ],
  ['DeleteObject', () => store.remove([odd]), () => sdk.send(new s3.DeleteObjectCommand(object))],
  [
    'DeleteObjects',
    () => store.remove(['a&<b', 'c']),
    () =>
      sdk.send(
        new s3.DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: [{ Key: 'folder/a&<b' }, { Key: 'folder/c' }], Quiet: true },
        }),
      ),
  ],
  [
    'ListMultipartUploads',
    () => store.abandon(odd),
    () => sdk.send(new s3.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: object.Key })),
  ],
] as const)
  test(`${name} is sent as the SDK sends it, and signed so that the SDK's own signature is ours`, async () => {
    const [own, other] = [await sentBy(ours), await sentBy(theirs)];
    deepEqual(meaning(own), meaning(other));
    equal(signatureOf(other), other.headers.authorization);
    equal(signatureOf(own), own.headers.authorization);
  });

test('a query is signed in the order of its names, one of which may begin another', async () => {
  const query = { 'a-b': '1', a: '2', 'a.': '3', a1: '4' };
  const command = new s3.GetObjectCommand(object);
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as object, { query });
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  const other = await sentBy(() => sdk.send(command));
  ok(other.url.includes('a-b=1'));
  equal(signatureOf(other), other.headers.authorization);
});

test('the calls of an upload in parts are those of the SDK', async () => {
  sent.length = 0;
  const upload = store.upload(odd, { lockedUntil: until });
  await upload.write([Buffer.alloc(9 << 20)]);
  await upload.finish().catch(() => undefined);
  const UploadId = 'an+id/=';
  const shape = ({ body: _body, ...one }: Sent) => meaning({ ...one, body: Buffer.alloc(0) });
  const [begin, part, complete] = ['uploads', 'partNumber=1&', 'uploadId='].map((text) =>
    sent.find(({ url }) => url.includes(text) && (text !== 'uploadId=' || !url.includes('partNumber'))),
  );
  const parts = [1, 2].map((number) => sent.find(({ url }) => url.includes(`partNumber=${number}&`))!);
  deepEqual(
    meaning(begin!),
    meaning(
      await sentBy(() =>
        sdk.send(
          new s3.CreateMultipartUploadCommand({ ...object, ChecksumAlgorithm: 'CRC32', ChecksumType: 'COMPOSITE', ...lock }),
        ),
      ),
    ),
  );
  const { 'x-amz-checksum-crc32': ChecksumCRC32 } = part!.headers;
  const command = new s3.UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: part!.body, ChecksumCRC32 });
  deepEqual(shape(part!), shape(await sentBy(() => sdk.send(command))));
  const Parts = parts.map(({ headers }, n) => ({
    ...{ PartNumber: n + 1, ETag: '"tag"', ChecksumCRC32: headers['x-amz-checksum-crc32'] },
  }));
  const completion = new s3.CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } });
  deepEqual(meaning(complete!), meaning(await sentBy(() => sdk.send(completion))));
});

test('buckets are where the SDK looks for them, and one with dots has no address of its own', async () => {
  for (const region of ['eu-central-1', 'us-east-1', 'cn-north-1', 'eusc-de-east-1'])
    for (const name of ['plain-bucket', 'with.dots']) {
      let theirs = '';
      const handle = async ({ hostname }: { hostname: string }) => {
        theirs = hostname;
        throw new Error('no further');
      };
      const client = new s3.S3Client({ region, credentials: { ...keys }, maxAttempts: 1, requestHandler: { handle } as never });
      await client.send(new s3.HeadObjectCommand({ Bucket: name, Key: 'k' })).catch(() => undefined);
      let ours = '';
      const agent = new Agent();
      agent.createConnection = ((options: { host: string }) => {
        ours = options.host;
        throw new Error('no further');
      }) as never;
      const own = new OwnClient({ bucket: name, region, keys: async () => keys, agent, connectMs: 1_000 });
      await rejects(own.send({ method: 'HEAD', key: 'k', signal: AbortSignal.timeout(1_000) }));
      ok(ours !== '');
      equal(ours, theirs);
    }
});

test('a bucket that is in another region than was guessed is asked there, from then on, and nowhere that is no region', async () => {
  let told = 'eu-west-3';
  const hosts: string[] = [];
  const port = Number(
    new URL(
      await serve(stops, (request, response) => {
        hosts.push(request.headers.host!);
        const isThere = request.headers.authorization!.includes('/eu-west-3/');
        if (request.method === 'HEAD') response.writeHead(isThere ? 200 : 301, { 'x-amz-bucket-region': told }).end();
        else
          response
            .writeHead(isThere ? 200 : 400)
            .end(`<Error><Code>AuthorizationHeaderMalformed</Code><Region>${told}</Region></Error>`);
      }),
    ).port,
  );
  const own = (isGuessed: boolean) => {
    const agent = new Agent();
    agent.createConnection = (() => connect(port, '127.0.0.1')) as never;
    return new OwnClient({
      bucket: 'somebodys',
      region: 'us-east-1',
      isGuessed,
      keys: async () => keys,
      agent,
      connectMs: 1_000,
    });
  };
  const look = (client: OwnClient) => client.send({ method: 'HEAD', key: 'k', signal: AbortSignal.timeout(9_000) });
  const client = own(true);
  await look(client);
  await look(client);
  const there = 'somebodys.s3.eu-west-3.amazonaws.com';
  deepEqual(hosts.splice(0), ['somebodys.s3.us-east-1.amazonaws.com', there, there]);
  const read = (one: OwnClient) => one.send({ method: 'GET', key: 'k', signal: AbortSignal.timeout(9_000) });
  await read(own(true));
  equal(hosts.splice(0).at(-1), there);
  await rejects(read(own(false)), { name: 'AuthorizationHeaderMalformed' });
  await rejects(look(own(false)), { status: 301 });
  told = 'evil.example.com#';
  hosts.length = 0;
  await rejects(look(own(true)), { status: 301 });
  equal(hosts.length, 1);
});
