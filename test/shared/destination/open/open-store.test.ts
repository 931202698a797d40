import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { openConfiguredStore, type StoreConfig } from '../../../../shared/destination/open/open-store.ts';
import { probeStore } from '../../../../shared/destination/probe/probe-store.ts';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import { bucket, keys, openAt, quick, type Stops, serve, startS3, stopAll, tenant } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
let s3Url: string;
/** Requests to STS, and the number of keys it issued. */
const asked: Record<string, string>[] = [];
let given = 0;
let isAsking: (form: Record<string, string>) => boolean = () => true;

beforeAll(async () => {
  s3Url = await startS3(stops);
  const stsUrl = await serve(stops, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
    asked.push(form);
    if (!isAsking(form)) {
      response.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>');
      return;
    }
    given += 1;
    response.end(
      `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA${given}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>token-${given}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  });
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_STS: stsUrl, AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 'own' },
    ...{ S3_URL: s3Url, SPACES_URL: s3Url, PRIVATE_HOSTS: '' },
  });
});
afterAll(() => stopAll(stops));
beforeEach(() => {
  asked.length = 0;
  isAsking = () => true;
});

const place: StoreConfig = { type: 's3', bucket, region: null, endpoint: null, objectLock: null };
const role = { roleArn: 'arn:aws:iam::210987654321:role/writer' };
const other = unsafeTenant('org_01JZ8Q4V0M6T3X9C2B7N5K1HRE', 'record');

test('openStore: every store assumes its role again, with the name and ExternalId of the organization', async () => {
  const tokens: unknown[] = [];
  process.env.S3_URL = await serve(stops, (request, response) => {
    tokens.push(request.headers['x-amz-security-token']);
    response.end();
  });
  for (const who of [tenant, other, tenant]) {
    const store = await openConfiguredStore(who, { config: place, credentials: role, folder: '', retryPolicy: quick });
    await store.put('x', Buffer.from('x'));
    store.close();
  }
  process.env.S3_URL = s3Url;
  deepEqual(
    asked.map(({ RoleArn, RoleSessionName, ExternalId }) => ({ RoleArn, RoleSessionName, ExternalId })),
    [tenant, other, tenant].map(({ organizationId }) => ({
      RoleArn: role.roleArn,
      RoleSessionName: organizationId,
      ExternalId: organizationId,
    })),
  );
  equal(new Set(tokens).size, 3);
});

test('openStore: a renewed store has connections of its own', async () => {
  const sockets: unknown[] = [];
  process.env.S3_URL = await serve(stops, (request, response) => {
    sockets.push(request.socket);
    response.end('x');
  });
  const store = await openConfiguredStore(tenant, { config: place, credentials: keys, folder: '', retryPolicy: quick });
  const renewed = await store.renew!();
  const again = await renewed.renew!();
  for (const one of [store, store, renewed, again, store]) await one.get('x');
  process.env.S3_URL = s3Url;
  for (const one of [store, renewed, again]) one.close();
  deepEqual(
    sockets.map((socket) => sockets.indexOf(socket)),
    [0, 0, 2, 3, 0],
  );
});

test('openStore: a role that cannot be assumed is denied before a request to the store', async () => {
  isAsking = () => false;
  await rejects(
    openConfiguredStore(tenant, { config: place, credentials: role, folder: '' }),
    (error: unknown) => error instanceof StorageError && error.code === 'denied',
  );
});

test('probeStore: a role is tested with and without the ExternalId', async () => {
  const tried = { ...place, prefix: '', immutable: false };
  isAsking = ({ ExternalId }) => ExternalId === tenant.organizationId;
  equal((await probeStore(tenant, tried, { credentials: role })).failure, undefined);
  deepEqual(
    asked.map(({ ExternalId }) => ExternalId),
    [tenant.organizationId, undefined, tenant.organizationId],
  );
  isAsking = () => true;
  deepEqual((await probeStore(tenant, tried, { credentials: role })).failure?.step, 'role');
  isAsking = () => false;
  deepEqual((await probeStore(tenant, tried, { credentials: role })).failure?.step, 'role');
});

test('openStore: a private endpoint is rejected when opened, a private name when connected to', async () => {
  for (const endpoint of ['https://127.0.0.1', 'https://[::1]', 'http://example.com', 'https://169.254.169.254'])
    await rejects(openConfiguredStore(tenant, { config: { ...place, endpoint }, credentials: keys, folder: '' }), {
      name: 'StorageError',
      code: 'invalid',
    });
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const store = await openConfiguredStore(tenant, {
    config: { ...place, endpoint: `https://localhost:${(server.address() as AddressInfo).port}` },
    credentials: keys,
    folder: '',
  });
  await rejects(store.put('x', Buffer.from('x')), { name: 'StorageError', code: 'invalid', message: /not a public address/ });
  equal(reached, 0);
  store.close();
  server.close();
});

test('openStore: a trusted endpoint takes precedence over the deployment’s', async () => {
  process.env.PRIVATE_HOSTS = new URL(s3Url).host;
  process.env.S3_URL = 'http://127.0.0.1:9';
  const store = await openConfiguredStore(tenant, {
    config: { ...place, endpoint: s3Url },
    credentials: keys,
    folder: 'own',
    retryPolicy: quick,
  });
  await store.put('x', Buffer.from('x'));
  equal((await store.head('x'))?.size, 1);
  store.close();
  Object.assign(process.env, { PRIVATE_HOSTS: '', S3_URL: s3Url });
});

test('openStore: objects and uploads have the lock and mode of the destination', async () => {
  const locks: unknown[] = [];
  const url = await serve(stops, (request, response) => {
    if (request.method === 'PUT' || request.method === 'POST')
      locks.push([request.headers['x-amz-object-lock-mode'], request.headers['x-amz-object-lock-retain-until-date']]);
    // Starts an upload and rejects its part: the lock is set at the start.
    const isBegin = request.url?.includes('uploads');
    request.resume().once('end', () => {
      response.writeHead(request.url?.includes('partNumber') ? 403 : 200).end(isBegin ? '<R><UploadId>u</UploadId></R>' : '');
    });
  });
  const lockedUntil = new Date('2030-01-01T00:00:00Z');
  const wanted = ['COMPLIANCE', '2030-01-01T00:00:00Z'];
  const locked = await openAt('s3', url, { folder: '', config: { objectLock: { mode: 'compliance', days: 30 } } });
  await locked.put('x', Buffer.from('x'), { lockedUntil });
  await locked.put('x', Buffer.from('x'));
  const upload = locked.upload('y', { lockedUntil });
  await rejects(upload.write([Buffer.alloc(9 << 20)]).then(() => upload.finish()));
  const free = await openAt('s3', url, { folder: '' });
  await free.put('x', Buffer.from('x'), { lockedUntil });
  deepEqual(locks.slice(0, 3), [wanted, [undefined, undefined], wanted]);
  deepEqual(locks.at(-1), [undefined, undefined]);
  locked.close();
  free.close();
  process.env.S3_URL = s3Url;
});

test('S3Upload: an upload holds a few parts in memory and waits before it accepts more', async () => {
  const held: (() => void)[] = [];
  const url = await serve(stops, (request, response) => {
    request.resume().once('end', () => {
      if (request.url?.includes('uploads')) return void response.end('<R><UploadId>u</UploadId></R>');
      if (!request.url?.includes('partNumber')) return void response.end();
      held.push(() => response.setHeader('etag', '"e"').end());
    });
  });
  const store = await openAt('s3', url, { folder: '' });
  const upload = store.upload('x');
  const part = Buffer.alloc(8 << 20);
  for (let n = 0; n < 3; n++) await upload.write([part]);
  let isTaken = false;
  const fourth = upload.write([part]).then(() => {
    isTaken = true;
  });
  while (held.length < 4) await new Promise((done) => setTimeout(done, 5));
  equal(isTaken, false);
  held.shift()?.();
  await fourth;
  ok(isTaken);
  for (const release of held.splice(0)) release();
  await upload.abort();
  store.close();
  process.env.S3_URL = s3Url;
});
