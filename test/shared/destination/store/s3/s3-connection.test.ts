/** Requests of the S3 client: host, signature, region, clock, body and checksums. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { ObjectStore } from '../../../../../shared/destination/index.ts';
import type { S3StoreOptions } from '../../../../../shared/destination/store/s3/s3-bucket.ts';
import { S3Store } from '../../../../../shared/destination/store/s3/s3-store.ts';
import { keys, openAt, quick, type Stops, serve, stopAll } from '../../../../harness/store/store-stands.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const MiB = 1 << 20;
const stops: Stops = [];
let url: string;
let port: number;
let sent: Sent[] = [];
const fine = (_: Sent, response: ServerResponse): unknown => response.setHeader('etag', '"tag"').end();
let answer: (sent: Sent, response: ServerResponse) => unknown = fine;

beforeAll(async () => {
  url = await serve(stops, async (request, response) => {
    const body = Buffer.concat(await request.toArray().catch(() => []));
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    sent.push(one);
    answer(one, response);
  });
  port = Number(new URL(url).port);
});
afterAll(() => stopAll(stops));
beforeEach(() => {
  sent = [];
  answer = fine;
});

const xml = (
  response: ServerResponse,
  {
    status,
    body,
    headers = {},
  }: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> | undefined },
) => response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
const error = (code: string, more = '') => `<Error><Code>${code}</Code>${more}</Error>`;

/** A store of AWS whose connections all go to the scripted server, whatever the host. */
const awsStore = (place: Partial<S3StoreOptions> = {}): S3Store => {
  const agent = new Agent();
  agent.createConnection = (() => connect(port, '127.0.0.1')) as never;
  const store = new S3Store({
    bucket: 'customer',
    folder: '',
    region: 'eu-central-1',
    credentials: keys,
    agent,
    connectMs: 20_000,
    digest: 'crc32',
    retryPolicy: quick,
    partBytes: 8 * MiB,
    ...place,
  });
  stops.push(() => store.close());
  return store;
};
const hosts = () => sent.map(({ headers }) => headers.host);

describe('host of requests', () => {
  for (const [region, bucket, host, path] of [
    ['eu-central-1', 'plain-bucket', 'plain-bucket.s3.eu-central-1.amazonaws.com', '/k'],
    ['us-east-1', 'plain-bucket', 'plain-bucket.s3.us-east-1.amazonaws.com', '/k'],
    ['cn-north-1', 'plain-bucket', 'plain-bucket.s3.cn-north-1.amazonaws.com.cn', '/k'],
    ['eusc-de-east-1', 'plain-bucket', 'plain-bucket.s3.eusc-de-east-1.amazonaws.eu', '/k'],
    ['eu-central-1', 'with.dots', 's3.eu-central-1.amazonaws.com', '/with.dots/k'],
  ] as const)
    test(`the bucket ${bucket} in ${region} is at ${host}`, async () => {
      await awsStore({ region, bucket }).put('k', Buffer.from('x'));
      deepEqual([sent[0]?.headers.host, sent[0]?.url.split('?')[0]], [host, path]);
      match(String(sent[0]?.headers.authorization), new RegExp(`/${region}/s3/aws4_request`));
    });

  test('an endpoint uses path-style addresses', async () => {
    const store = await openAt('s3', url, { folder: '' });
    await store.put('k', Buffer.from('x'));
    deepEqual([sent[0]?.headers.host, sent[0]?.url.split('?')[0]], [new URL(url).host, '/backups/k']);
    store.close();
  });

  test('a region that AWS does not have is signed as given', async () => {
    for (const region of ['auto', 'us-west-004', 'fra1']) {
      const store = await openAt('spaces', url, { folder: '', config: { region } });
      await store.put('k', Buffer.from('x'));
      match(String(sent.at(-1)?.headers.authorization), new RegExp(`/${region}/s3/aws4_request`));
      store.close();
    }
  });

  test('environment variables and configuration files of the service do not apply to a customer’s bucket', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'config-'));
    writeFileSync(
      join(dir, 'config'),
      '[default]\nregion = ap-south-1\nendpoint_url = http://127.0.0.1:9\nuse_fips_endpoint = true\nuse_dualstack_endpoint = true\nservices = s\n[services s]\ns3 =\n  endpoint_url = http://127.0.0.1:9\n',
    );
    const own = {
      AWS_CONFIG_FILE: join(dir, 'config'),
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
      AWS_REGION: 'ap-south-1',
      AWS_ACCESS_KEY_ID: 'AKIAOFTHESERVICE',
      AWS_SECRET_ACCESS_KEY: 'own',
      AWS_SESSION_TOKEN: 'own-token',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      AWS_MAX_ATTEMPTS: '9',
      AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_SUPPORTED',
      AWS_DEFAULTS_MODE: 'auto',
      AWS_SDK_UA_APP_ID: 'own-app',
      AWS_DISABLE_CLOCK_SKEW_CORRECTION: 'true',
    };
    const kept = { ...process.env };
    Object.assign(process.env, own);
    try {
      answer = (_, response) => xml(response, { status: 503, body: error('SlowDown') });
      await rejects(awsStore({ retryPolicy: { ...quick, attempts: 1 } }).put('k', Buffer.from('x')), { code: 'unavailable' });
      deepEqual(hosts(), ['customer.s3.eu-central-1.amazonaws.com']);
      const headers: IncomingMessage['headers'] = sent[0]?.headers ?? {};
      match(String(headers.authorization), new RegExp(`Credential=${keys.accessKeyId}/\\d+/eu-central-1/`));
      equal(headers['x-amz-security-token'], undefined);
      ok(!String(headers['user-agent']).includes('own-app'));
    } finally {
      for (const name of Object.keys(own)) delete process.env[name];
      Object.assign(process.env, kept);
      rmSync(dir, { recursive: true });
    }
  });

  test('the given credentials object stays unchanged', async () => {
    const given = { ...keys };
    await awsStore({ credentials: given }).put('k', Buffer.from('x'));
    deepEqual(Reflect.ownKeys(given), ['accessKeyId', 'secretAccessKey']);
  });

  test('a redirect is not followed', async () => {
    let reached = 0;
    const elsewhere = await serve(stops, (_, response) => {
      reached += 1;
      response.end();
    });
    const store = await openAt('s3', url, { folder: '' });
    for (const status of [301, 302, 307, 308]) {
      answer = (_, response) => response.writeHead(status, { location: `${elsewhere}/backups/k` }).end();
      await rejects(store.get('k'), { name: 'StorageError' });
    }
    equal(reached, 0);
    store.close();
  });
});

describe('a bucket in another region', () => {
  let told: string;
  const guessed = () => awsStore({ region: 'us-east-1', isGuessed: true });
  beforeEach(() => {
    told = 'eu-west-3';
    answer = ({ method, headers }, response) => {
      if (headers.authorization?.includes('/eu-west-3/')) return response.end();
      if (method === 'HEAD') return response.writeHead(301, { 'x-amz-bucket-region': told }).end();
      return xml(response, { status: 400, body: error('AuthorizationHeaderMalformed', `<Region>${told}</Region>`) });
    };
  });
  const there = 'customer.s3.eu-west-3.amazonaws.com';

  test('is found by a response header, and used from then on', async () => {
    const store = guessed();
    await store.head('k');
    await store.head('k');
    deepEqual(hosts(), ['customer.s3.us-east-1.amazonaws.com', there, there]);
  });

  test('is found by each of several concurrent first calls', async () => {
    const store = guessed();
    await Promise.all([store.head('a'), store.head('b'), store.get('c')]);
    equal(hosts().filter((host) => host === there).length, 3);
  });

  test('is found by a response body', async () => {
    await guessed().get('k');
    deepEqual(hosts(), ['customer.s3.us-east-1.amazonaws.com', there]);
  });

  test('is an error if the destination names a region', async () => {
    const store = awsStore({ region: 'us-east-1' });
    await rejects(store.get('k'), { code: 'invalid', message: 'The bucket is in another region.' });
    await rejects(store.head('k'), { code: 'invalid', message: 'The bucket is in another region.' });
    equal(sent.length, 2);
  });

  test('is not used if the response does not name a valid region', async () => {
    for (const value of ['evil.example.com#', 'evil.example.com/', 'x@evil', '', 'eu-west-3.evil', 'us-east-1']) {
      told = value;
      sent = [];
      await rejects(guessed().head('k'), { code: 'invalid' });
      await rejects(guessed().get('k'), { code: 'invalid' });
      deepEqual([...new Set(hosts())], ['customer.s3.us-east-1.amazonaws.com'], value);
    }
  });
});

describe('a clock that is an hour off', () => {
  const aheadMs = 3_600_000;
  const signedAt = ({ headers }: Sent) =>
    Date.parse(String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z'));
  const isSkewed = (one: Sent) => Math.abs(signedAt(one) - (Date.now() + aheadMs)) > 900_000;
  const ahead = (response: ServerResponse) => response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
  const refuse = (response: ServerResponse, method: string, code: string) => {
    ahead(response);
    return method === 'HEAD' ? response.writeHead(403).end() : xml(response, { status: 403, body: error(code) });
  };

  for (const work of ['put', 'head'] as const)
    test(`is corrected by the first rejection of a ${work}, for all later calls`, async () => {
      answer = (one, response) => (isSkewed(one) ? refuse(response, one.method, 'RequestTimeTooSkewed') : ahead(response).end());
      const store = await openAt('s3', url, { folder: '' });
      await (work === 'put' ? store.put('k', Buffer.from('x')) : store.head('k'));
      await store.put('k', Buffer.from('x'));
      equal(sent.length, 3);
      store.close();
    });

  test('does not hide wrong keys', async () => {
    answer = ({ method }, response) => refuse(response, method, 'SignatureDoesNotMatch');
    const store = await openAt('s3', url, { folder: '' });
    await rejects(store.put('k', Buffer.from('x')), { code: 'denied' });
    equal(sent.length, 2);
    store.close();
  });

  test('a response with an unreadable date does not affect later signatures', async () => {
    const store = await openAt('s3', url, { folder: '' });
    answer = (_, response) => xml(response, { status: 200, body: '', headers: { date: 'soon' } });
    await store.put('k', Buffer.from('x'));
    await store.put('k', Buffer.from('x'));
    equal(sent.length, 2);
    store.close();
  });
});

describe('a body of 2 MiB or more', () => {
  const received = { bytes: 0, expected: 0 };
  const open = async (listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<ObjectStore> => {
    Object.assign(received, { bytes: 0, expected: 0 });
    const server = createServer().on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      received.expected += 1;
      request.on('data', (piece: Buffer) => {
        received.bytes += piece.length;
      });
      listener(request, response);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    stops.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return openAt('s3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, { folder: '' });
  };

  test('is sent when the store requests it', async () => {
    const store = await open((request, response) => {
      response.writeContinue();
      request.once('end', () => response.end());
    });
    await store.put('k', Buffer.alloc(3 * MiB));
    deepEqual(received, { bytes: 3 * MiB, expected: 1 });
    store.close();
  });

  test('is not sent to a store that rejects it, and the rejection is thrown', async () => {
    const store = await open((_, response) => xml(response, { status: 403, body: error('AccessDenied') }));
    await rejects(store.put('k', Buffer.alloc(3 * MiB)), { code: 'denied' });
    await rejects(store.put('k', Buffer.alloc(3 * MiB)), { code: 'denied' });
    deepEqual(received, { bytes: 0, expected: 2 });
    store.close();
  });

  test('is sent after a second without a response', async () => {
    const store = await open((request, response) => request.once('end', () => response.end()));
    await store.put('k', Buffer.alloc(3 * MiB));
    equal(received.bytes, 3 * MiB);
    store.close();
  });

  test('ends at once with its signal while the store does not respond', async () => {
    const end = new AbortController();
    const store = await open(() => end.abort(new Error('enough')));
    await rejects(store.put('k', Buffer.alloc(3 * MiB), { signal: end.signal }), /enough/);
    equal(received.bytes, 0);
    store.close();
  });

  test('reaches no private address', async () => {
    let reached = 0;
    const host = await serve(stops, () => {
      reached += 1;
    });
    const endpoint = `https://localhost:${new URL(host).port}`;
    const store = await openAt('s3', '', { folder: '', config: { endpoint } });
    await rejects(store.put('k', Buffer.alloc(3 * MiB)), { code: 'invalid', message: /not a public address/ });
    equal(reached, 0);
    store.close();
  });
});

describe('checksums', () => {
  const upload = async (store: ObjectStore) => {
    answer = ({ url: asked, method }, response) => {
      if (asked.includes('uploads')) return xml(response, { status: 200, body: '<R><UploadId>an+id/=</UploadId></R>' });
      return method === 'POST' ? xml(response, { status: 400, body: error('InvalidPart') }) : fine({} as Sent, response);
    };
    const begun = store.upload("odd ü %41+b/it's (one)");
    await begun.write([Buffer.alloc(9 * MiB, 1)]);
    await rejects(begun.finish());
    const part = sent.find(({ url: asked }) => asked.includes('partNumber=1&'));
    const begin = sent.find(({ url: asked }) => asked.includes('uploads'));
    const complete = sent.find(({ method, url: asked }) => method === 'POST' && asked.includes('uploadId=an%2Bid%2F%3D'));
    return { part, begin, complete };
  };
  const plain = ({ headers }: Sent) => {
    for (const name of ['content-encoding', 'transfer-encoding', 'x-amz-trailer', 'x-amz-decoded-content-length'])
      equal(headers[name], undefined);
    match(String(headers['x-amz-content-sha256']), /^[0-9a-f]{64}$/);
  };

  test('of AWS are CRC-32, in a header, for objects and parts', async () => {
    const store = awsStore();
    await store.put('k', Buffer.from('123456789'));
    equal(sent[0]?.headers['x-amz-checksum-crc32'], Buffer.from('cbf43926', 'hex').toString('base64'));
    equal(sent[0]?.headers['content-md5'], undefined);
    const { part, begin, complete } = await upload(store);
    ok(part?.headers['x-amz-checksum-crc32'] && begin && complete);
    deepEqual([begin.headers['x-amz-checksum-algorithm'], begin.headers['x-amz-checksum-type']], ['CRC32', 'COMPOSITE']);
    ok(complete.body.includes(`<ChecksumCRC32>${part.headers['x-amz-checksum-crc32']}</ChecksumCRC32>`));
    for (const one of sent) plain(one);
  });

  test('of other stores are Content-MD5 only', async () => {
    const store = await openAt('spaces', url, { folder: '' });
    await store.put('k', Buffer.from('123456789'));
    equal(sent[0]?.headers['content-md5'], 'JfnnlDI7RTiF9RgfG2JNCw==');
    const { part, begin, complete } = await upload(store);
    ok(part?.headers['content-md5'] && begin && complete && !complete.body.includes('Checksum'));
    for (const one of sent.filter(({ method }) => method !== 'HEAD')) {
      plain(one);
      deepEqual(
        Object.keys(one.headers).filter((name) => /checksum|^x-amz-sdk/.test(name)),
        [],
      );
    }
    store.close();
  });
});

describe('a successful status with an unexpected body', () => {
  const aws = () => awsStore({ retryPolicy: { ...quick, attempts: 2 } });

  for (const [what, body] of [
    ['an empty body', ''],
    ['an error', error('InternalError')],
    ['an error and a line break', `${error('InternalError')}\n`],
    ['an HTML page', '<html><body>Welcome</body></html>'],
    ['text', 'Welcome'],
    ['deeply nested elements', '<a>'.repeat(500_000)],
  ] as const)
    test(`is not an empty list: ${what}`, async () => {
      answer = (_, response) => xml(response, { status: 200, body });
      await rejects(Array.fromAsync(aws().list('')), { name: 'StorageError' });
      await rejects(aws().abortUnfinishedUploads(''), { name: 'StorageError' });
      ok(sent.length <= 4);
    });

  test('does not confirm the deletion of objects that it does not name', async () => {
    answer = (_, response) =>
      xml(response, { status: 200, body: '<DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>' });
    await rejects(aws().remove(['a', 'b']), { code: 'unavailable' });
    equal(sent.length, 2);
  });

  test('is an error if one of the objects was not deleted', async () => {
    answer = (_, response) =>
      xml(response, {
        status: 200,
        body: `<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>`,
      });
    await rejects(aws().remove(['a', 'b']), { code: 'denied', message: /AccessDenied/ });
    equal(sent.length, 1);
    const names = [...(sent[0]?.body.toString() ?? '').matchAll(/<Key>([^<]*)/g)].map(([, name]) => name);
    deepEqual(names, ['a', 'b']);
  });

  test('deletes a thousand objects in one call, whatever their names', async () => {
    answer = ({ body }, response) =>
      xml(response, {
        status: 200,
        body: `<DeleteResult>${body
          .toString()
          .match(/<Key>[^<]*<\/Key>/g)
          ?.map((key) => `<Deleted>${key}</Deleted>`)
          .join('')}</DeleteResult>`,
      });
    await aws().remove(['a&<b', ...Array.from({ length: 1_200 }, (_, n) => `${n}`)]);
    equal(sent.length, 2);
    ok(sent[0]?.body.includes('<Key>a&amp;&lt;b</Key>'));
  });
});
