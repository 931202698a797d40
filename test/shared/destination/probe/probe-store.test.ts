import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { openConfiguredStore } from '../../../../shared/destination/open/open-store.ts';
import { probeStore } from '../../../../shared/destination/probe/probe-store.ts';
import { bucket, keys, quick, type Stops, serve, stopAll, tenant } from '../../../harness/store/store-stands.ts';

const place = { type: 's3', bucket, region: null, endpoint: null, objectLock: null, prefix: '', immutable: false } as const;
const stops: Stops = [];
let asked: string[] = [];
let list: (response: ServerResponse) => unknown;

/** A store of one object that works correctly, except for lists. */
beforeAll(async () => {
  let kept = Buffer.alloc(0);
  process.env.S3_URL = await serve(stops, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method, url = '', headers } = request;
    const isList = url.includes('list-type=2');
    asked.push(isList ? 'LIST' : String(method));
    if (isList) return void list(response);
    if (method === 'PUT') kept = Buffer.concat(parts);
    if (method !== 'GET') return void response.writeHead(method === 'HEAD' ? 404 : 200).end();
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
    response.writeHead(from ? 206 : 200).end(from ? kept.subarray(Number(from), Number(to) + 1) : kept);
  });
  process.env.PRIVATE_HOSTS = '';
});
afterAll(() => stopAll(stops));
beforeEach(() => {
  asked = [];
});

test('probeStore: an unexpected object in the listing ends the probe without reading another page', async () => {
  list = (response) =>
    response.end(
      `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${asked.length}</NextContinuationToken><Contents><Key>probe/other</Key><Size>1</Size></Contents></ListBucketResult>`,
    );
  const found = await probeStore(tenant, place, { credentials: keys });
  deepEqual(found.failure, { step: 'list', kind: 'invalid', reason: 'The store’s listing does not match its objects.' });
  deepEqual(asked, ['PUT', 'GET', 'GET', 'LIST', 'DELETE']);
});

test('probeStore: the timeout ends the current call, and only the clean-up follows', async () => {
  const end = new AbortController();
  let hung: Promise<unknown> | undefined;
  list = (response) => {
    hung = new Promise((done) => response.once('close', done));
    end.abort();
  };
  const found = await probeStore(tenant, place, { credentials: keys, signal: end.signal });
  deepEqual(found.failure, { step: 'list', kind: 'unavailable', reason: 'The store did not respond in time.' });
  deepEqual(
    found.checks.map(({ name, ok: isOk }) => [name, isOk]),
    [
      ['write', true],
      ['read', true],
      ['readPart', true],
      ['list', false],
    ],
  );
  ok(hung);
  await hung;
  deepEqual(asked, ['PUT', 'GET', 'GET', 'LIST', 'DELETE']);
});

test('probeStore: with an aborted signal nothing is sent', async () => {
  const found = await probeStore(tenant, place, { credentials: keys, signal: AbortSignal.abort() });
  equal(found.failure?.reason, 'The store did not respond in time.');
  deepEqual(asked, []);
});

test('probeStore: a role with an ExternalId of its own is tested and opened with it', async () => {
  const ids: (string | null)[] = [];
  const stsUrl = await serve(stops, async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const id = new URLSearchParams(Buffer.concat(parts).toString()).get('ExternalId');
    ids.push(id);
    if (id !== 'org_before')
      return void response.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>');
    response.end(
      '<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>',
    );
  });
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_STS: stsUrl, AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 'own' },
  });
  list = (response) => response.writeHead(403).end();
  const role = { roleArn: 'arn:aws:iam::210987654321:role/writer' };
  const moved = { ...place, externalId: 'org_before' };
  (await openConfiguredStore(tenant, { config: moved, credentials: role, folder: '', retryPolicy: quick })).close();
  const found = await probeStore(tenant, moved, { credentials: role });
  deepEqual(ids, ['org_before', 'org_before', null, 'org_before']);
  equal(found.failure?.step, 'list');
  deepEqual(found.checks[0], { name: 'role', ok: true });
});
