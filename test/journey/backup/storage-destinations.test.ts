/** Storage destinations: tested before they are stored; secrets are never returned. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { account as serviceAccount } from '../../../infra/local/base/types.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { storageDestinations as rows } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { newBucket } from '../../harness/stage/backup.ts';
import { call, type Result, stageVariable } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { allItems, getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

/** Must not appear in any response, event, audit entry, log line or table item. */
const canary = randomUUID().replaceAll('-', '');
const keys = { accessKeyId: `AKIA${canary.slice(0, 16).toUpperCase()}`, secretAccessKey: `secret-${canary}` };
const privateKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const google = { clientEmail: `backup-${canary.slice(0, 8)}@demo.iam.gserviceaccount.com`, privateKey: privateKey.toString() };
const pemLine = google.privateKey.split('\n')[5] ?? '';
const seen: string[] = [];

let organization: TestOrganization;
let by: { readonly token: string; readonly org: string };
let bucket: string;
beforeAll(async () => {
  organization = await newOrganization();
  by = { token: organization.owner.accessToken, org: organization.id };
  bucket = await newBucket();
});

const noted = <D>(result: Result<D>): Result<D> => {
  seen.push(result.text);
  return result;
};
const create = async (more: object = {}, as = by) => {
  const body = { name: 'Bucket', type: 's3', bucket, credentials: keys, ...more };
  return noted(await call(rows.create, { ...as, body }));
};
const made = async (more: object = {}, as = by) => {
  const result = await create(more, as);
  equal(result.status, 201, result.text);
  return result.body.data;
};
const update = async (storageId: string, body: object) => noted(await call(rows.update, { ...by, params: { storageId }, body }));
const get = async (storageId: string) => noted(await call(rows.get, { ...by, params: { storageId } }));
const tested = async (storageId: string) => noted(await call(rows.test, { ...by, params: { storageId } }));
const remove = async (storageId: string) => noted(await call(rows.remove, { ...by, params: { storageId } }));
const eventsOf = async (storageId: string) =>
  (await itemsOf(`ORG#${by.org}`)).filter(
    ({ sk, data }) => sk.startsWith('EVENT#') && (data as { storage?: { id: string } }).storage?.id === storageId,
  );
const eventNames = async (storageId: string) => (await eventsOf(storageId)).map(({ type }) => type);
const auditOf = async (storageId: string) =>
  (await itemsOf(`AUDIT#${by.org}`)).filter(({ resource }) => (resource as { id: string }).id === storageId);
const objectsIn = async (name: string): Promise<string> => {
  const answer = await fetch(`${stageVariable('STAGE_S3_URL')}/${name}?list-type=2`);
  equal(answer.status, 200);
  return answer.text();
};
const refused = (result: Result<unknown>, step: string, reason: RegExp) => {
  equal(result.status, 422, result.text);
  const { code, message, details } = result.body.error;
  equal(code, 'STORAGE_ERROR');
  equal(details.step, step, result.text);
  match(String(details.reason), reason);
  ok(message.includes(String(details.reason)));
  const checks = details.checks as { name: string; ok: boolean; error?: string }[];
  deepEqual(
    checks.filter(({ ok: isOk }) => !isOk).map(({ name }) => name),
    [step],
  );
};
const invalid = (result: Result<unknown>, field: string) => {
  deepEqual([result.status, result.body.error?.code], [400, 'VALIDATION_ERROR'], result.text);
  equal(result.body.error.details.field, field, result.text);
};

for (const [type, more] of [
  ['s3', {}],
  ['s3', { prefix: 'team/backups/', region: 'eu-central-1', immutable: true }],
  ['spaces', { region: 'fra1' }],
  ['gcs', { bucket: 'demo-backups', credentials: google }],
] as const)
  test(`a destination of type ${type} with ${JSON.stringify(Object.keys(more))} is tested, stored and returned with masked secrets`, async () => {
    const data = await made({ type, ...more });
    match(data.id, /^dst_[0-9A-Z]{26}$/);
    const { status, objectLock, endpoint } = data;
    deepEqual({ type: data.type, status, objectLock, endpoint }, { type, status: 'connected', objectLock: null, endpoint: null });
    equal(data.prefix, 'prefix' in more ? 'team/backups' : '');
    equal(data.region, 'region' in more ? more.region : null);
    equal(data.lastTestedAt, data.createdAt);
    deepEqual(
      data.credentials,
      type === 'gcs'
        ? { clientEmail: google.clientEmail, privateKey: '********' }
        : { accessKeyId: `********${keys.accessKeyId.slice(-4)}`, secretAccessKey: '********' },
    );
    deepEqual((await get(data.id)).body.data, data);
    deepEqual(await eventNames(data.id), ['storage.connected']);
    const [event] = await eventsOf(data.id);
    const { storage, organization: reported } = (event?.data ?? {}) as { storage?: object; organization?: object };
    deepEqual(reported, { id: by.org, name: organization.name });
    const { credentials: _masked, ...shown } = data;
    deepEqual(storage, shown);
    const [entry] = await auditOf(data.id);
    equal(entry?.action, 'storage.created');
    deepEqual(entry?.details, { name: 'Bucket', type, bucket: data.bucket, prefix: data.prefix });
  });

test('storage test: the probe object is deleted afterwards, except where deletion is not allowed', async () => {
  const [clean, kept] = [await newBucket(), await newBucket()];
  await made({ bucket: clean });
  ok(!(await objectsIn(clean)).includes('<Key>'));
  await made({ bucket: kept, prefix: 'p', immutable: true, credentials: { ...keys, accessKeyId: 'nodelete' } });
  match(await objectsIn(kept), /<Key>p\/probe\/\w+\/object<\/Key>/);
});

describe('a destination whose store refuses access is not stored', () => {
  const before_ = async () => (await itemsOf(`ORG#${by.org}`)).filter(({ sk }) => /^(DESTINATION|EVENT)#/.test(sk)).length;
  for (const [accessKeyId, step] of [
    ['denied', 'write'],
    ['readonly', 'write'],
    ['writeonly', 'read'],
    ['nodelete', 'delete'],
  ] as const)
    test(`a key that is ${accessKeyId} fails at ${step}`, async () => {
      const count = await before_();
      refused(await create({ credentials: { ...keys, accessKeyId } }), step, /refused .* \(403 AccessDenied\)/);
      equal(await before_(), count);
    });

  test('a missing bucket is named as the reason', async () => {
    for (const type of ['s3', 'spaces'])
      refused(await create({ type, region: 'fra1', bucket: 'no-such-bucket' }), 'write', /bucket does not exist/);
    refused(await create({ type: 'gcs', bucket: 'no-such-bucket', credentials: google }), 'write', /bucket does not exist/);
  });

  test('a Google service account that gets no token is refused', async () => {
    const credentials = { ...google, clientEmail: 'denied@demo.iam.gserviceaccount.com' };
    refused(await create({ type: 'gcs', bucket: 'demo-backups', credentials }), 'write', /Google rejected the service account/);
  });

  test('an unreachable store is reported as not responding, within the request timeout', async () => {
    // The stage allows only the port of its own buckets; no server listens on this one.
    refused(await create({ endpoint: 'https://store.invalid' }), 'write', /did not .*store an object/);
  });
});

describe("a customer's role", () => {
  const role = (name: string) => ({ credentials: { roleArn: `arn:aws:iam::210987654321:role/backups/${name}` } });
  const name = `writer-${randomUUID().slice(0, 8)}`;

  test('is assumed with our ExternalId, which is returned and is the same for the whole organization', async () => {
    const data = await made(role(name));
    ok(data.externalId);
    deepEqual(data.credentials, role(name).credentials);
    equal((await made(role(`${name}-2`))).externalId, data.externalId);
    equal((await tested(data.id)).status, 200);
  });

  test('that cannot be assumed is refused, and the error names the ExternalId its trust policy must require', async () => {
    const result = await create(role('denied-writer'));
    refused(result, 'role', /cannot be assumed with the ExternalId/);
    equal(result.body.error.details.externalId, (await made(role(`${name}-3`))).externalId);
  });

  test('that can be assumed without the ExternalId is refused', async () => {
    const result = await create(role('open-writer'));
    refused(result, 'role', /without the ExternalId/);
    ok(result.body.error.details.externalId);
  });

  test("in the service's own account is assumed below the path backup-destination, with the ExternalId", async () => {
    const own = (role_: string) => ({
      credentials: { roleArn: `arn:aws:iam::${serviceAccount}:role/backup-destination/${role_}` },
    });
    const data = await made(own(name));
    ok(data.externalId);
    equal((await tested(data.id)).status, 200);
    refused(await create(own('open-writer')), 'role', /without the ExternalId/);
  });

  test("elsewhere in the service's own account is never assumed", async () => {
    for (const path of ['any', 'open-any'])
      refused(
        await create({ credentials: { roleArn: `arn:aws:iam::${serviceAccount}:role/${path}` } }),
        'role',
        /cannot be assumed/,
      );
  });

  test('of another organization cannot be assumed for this one', async () => {
    const other = await newOrganization();
    const result = await create(role(name), { token: other.owner.accessToken, org: other.id });
    refused(result, 'role', /cannot be assumed/);
    notEqual(result.body.error.details.externalId, (await made(role(`${name}-4`))).externalId);
  });

  test('moved from another organization keeps its ExternalId until a new role is given', async () => {
    const data = await made(role(`${name}-6`));
    const key = { pk: `ORG#${by.org}`, sk: `DESTINATION#${data.id}` };
    // The role requires our ExternalId, so a failure shows that the other one is used.
    await putItem({ ...(await getItem(key)), ...key, externalId: 'org_before' });
    for (const result of [await tested(data.id), await update(data.id, { name: 'Renamed' })]) {
      refused(result, 'role', /cannot be assumed/);
      equal(result.body.error.details.externalId, 'org_before');
    }
    const changed = await update(data.id, role(`${name}-6`));
    deepEqual([changed.status, changed.body.data.externalId], [200, data.externalId]);
  });

  test('can replace access keys, and access keys can replace it', async () => {
    const data = await made();
    equal(data.externalId, undefined);
    const changed = await update(data.id, role(`${name}-5`));
    ok(changed.body.data.externalId);
    const back = await update(data.id, { credentials: keys });
    deepEqual([back.status, back.body.data.externalId], [200, undefined]);
    equal((await getItem({ pk: `ORG#${by.org}`, sk: `DESTINATION#${data.id}` }))?.externalId, undefined);
  });
});

describe('updating a destination', () => {
  test('with new credentials alone tests and stores them', async () => {
    const data = await made();
    const result = await update(data.id, { credentials: { accessKeyId: 'AKIAOTHERKEY', secretAccessKey: `other-${canary}` } });
    equal(result.status, 200, result.text);
    deepEqual(result.body.data.credentials, { accessKeyId: '********RKEY', secretAccessKey: '********' });
    deepEqual(await eventNames(data.id), ['storage.connected', 'storage.connected']);
    const entries = await auditOf(data.id);
    deepEqual(entries.at(-1)?.details, { name: 'Bucket', changed: ['credentials'] });
  });

  test('that fails its test reports the error, marks the destination and keeps the old settings', async () => {
    const data = await made();
    refused(await update(data.id, { name: 'New', credentials: { ...keys, accessKeyId: 'denied' } }), 'write', /403/);
    const { status, name, credentials } = (await get(data.id)).body.data;
    deepEqual({ status, name, credentials }, { status: 'error', name: 'Bucket', credentials: data.credentials });
    deepEqual(await eventNames(data.id), ['storage.connected', 'storage.error']);
    const [, failed] = await eventsOf(data.id);
    const { error } = failed!.data as { error: { code: string; message: string; details: object } };
    deepEqual([error.code, error.details], ['STORAGE_ERROR', { step: 'write', kind: 'denied' }]);
    match(error.message, /403 AccessDenied/);
    equal((await auditOf(data.id)).at(-1)?.action, 'storage.updated');

    // The stored settings still work: a test succeeds and emits its event.
    equal((await tested(data.id)).status, 200);
    equal((await get(data.id)).body.data.status, 'connected');
    deepEqual(await eventNames(data.id), ['storage.connected', 'storage.error', 'storage.connected']);
  });

  test('with a masked secret is refused, and the secret stays', async () => {
    const data = await made();
    const before_ = await getItem({ pk: `ORG#${by.org}`, sk: `DESTINATION#${data.id}` });
    const masked = data.credentials as { accessKeyId: string; secretAccessKey: string };
    invalid(await update(data.id, { credentials: masked }), 'credentials.accessKeyId');
    invalid(
      await update(data.id, { credentials: { ...keys, secretAccessKey: masked.secretAccessKey } }),
      'credentials.secretAccessKey',
    );
    invalid(await create({ credentials: { ...keys, secretAccessKey: '********' } }), 'credentials.secretAccessKey');
    deepEqual(await getItem({ pk: `ORG#${by.org}`, sk: `DESTINATION#${data.id}` }), before_);
  });

  test('changes only the given fields; an empty body changes nothing', async () => {
    const data = await made({ prefix: 'one', region: 'eu-central-1' });
    const result = await update(data.id, { name: 'Renamed', prefix: 'two/', region: null });
    const { updatedAt, lastTestedAt, ...rest } = result.body.data;
    const { updatedAt: _u, lastTestedAt: _t, ...was } = data;
    deepEqual(rest, { ...was, name: 'Renamed', prefix: 'two', region: null });
    ok(updatedAt > data.updatedAt && lastTestedAt);
    const entries = (await auditOf(data.id)).length;
    deepEqual((await update(data.id, {})).body.data, result.body.data);
    equal((await auditOf(data.id)).length, entries);
  });

  test('cannot change the location while it contains backups, but can change other settings', async () => {
    const data = await made({ prefix: 'here' });
    const key = { pk: `ORG#${by.org}`, sk: `DESTINATION#${data.id}` };
    await putItem({ ...(await getItem(key)), ...key, backupCount: 1 });
    const endpoint = stageVariable('STAGE_S3_URL');
    for (const body of [
      { bucket: await newBucket() },
      { prefix: 'there' },
      { prefix: '' },
      { endpoint },
      { region: 'cn-north-1' },
    ]) {
      const result = await update(data.id, body);
      deepEqual([result.status, result.body.error?.code], [409, 'CONFLICT'], result.text);
    }
    // Bucket names are global across regions.
    for (const body of [{ name: 'Other', prefix: 'here/', bucket, credentials: keys }, { region: 'eu-west-1' }])
      equal((await update(data.id, body)).status, 200);
    const removal = await remove(data.id);
    deepEqual(
      { status: removal.status, code: removal.body.error.code, details: removal.body.error.details },
      { status: 409, code: 'CONFLICT', details: { backupCount: 1 } },
    );
    await putItem({ ...(await getItem(key)), ...key, backupCount: 0 });
    equal((await update(data.id, { prefix: 'there' })).status, 200);
    equal((await remove(data.id)).status, 200);
  });
});

test('destination: another endpoint or region of a Space is another location, another spelling of the same one is not', async () => {
  const endpoint = stageVariable('STAGE_S3_URL');
  for (const [was, moves, stays] of [
    [{ endpoint }, { endpoint: null }, { endpoint: `${endpoint}/`, region: 'eu-west-1' }],
    [{ type: 'spaces', region: 'fra1' }, { region: 'nyc3' }, { region: 'fra1' }],
  ] as const) {
    const { id } = await made(was);
    const key = { pk: `ORG#${by.org}`, sk: `DESTINATION#${id}` };
    await putItem({ ...(await getItem(key)), ...key, backupCount: 1 });
    equal((await update(id, moves)).status, 409);
    equal((await update(id, stays)).status, 200);
    await putItem({ ...(await getItem(key)), ...key, backupCount: 0 });
    equal((await update(id, moves)).status, 200);
  }
});

test('storage test: reports the checks, warnings and duration', async () => {
  const data = await made();
  const { body } = await tested(data.id);
  deepEqual(
    body.data.checks.map(({ name, ok: isOk }) => [name, isOk]),
    [
      ['write', true],
      ['read', true],
      ['readPart', true],
      ['list', true],
      ['delete', true],
    ],
  );
  equal(body.data.success, true);
  equal(body.data.warnings.length, 1);
  match(String(body.data.warnings[0]), /lifecycle rule/);
  ok(Number.isInteger(body.data.duration) && body.data.duration >= 0);
  equal((await auditOf(data.id)).at(-1)?.action, 'storage.tested');
});

test('destination: a default destination cannot be deleted until it is replaced', async () => {
  const [forOrganization, forProject] = [await made(), await made()];
  const settings = (defaultStorageId: string | null) =>
    call(organizations.update, { ...by, body: { settings: { defaultStorageId } } });
  equal((await settings(forOrganization.id)).status, 200);
  const body = {
    name: 'P',
    sourceProjectId: `source-${randomUUID().slice(0, 8)}`,
    settings: { defaultStorageId: forProject.id },
  };
  const project = (await call(projects.create, { ...by, body })).body.data;
  for (const { id } of [forOrganization, forProject]) {
    const result = await remove(id);
    deepEqual([result.status, result.body.error?.code], [409, 'CONFLICT'], result.text);
    equal((await get(id)).status, 200);
  }
  await settings(null);
  await call(projects.update, { ...by, params: { projectId: project.id }, body: { settings: { defaultStorageId: null } } });
  for (const { id } of [forOrganization, forProject]) {
    equal((await remove(id)).status, 200);
    const statuses = { get: (await get(id)).status, remove: (await remove(id)).status, test: (await tested(id)).status };
    deepEqual(statuses, { get: 404, remove: 404, test: 404 });
    equal((await auditOf(id)).at(-1)?.action, 'storage.deleted');
  }
});

test('list: newest first, page by page', async () => {
  const other = await newOrganization();
  const as = { token: other.owner.accessToken, org: other.id };
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.unshift((await made({ name }, as)).id);
  const first = await call(rows.list, { ...as, query: { limit: '2' } });
  const cursor = String(first.body.pagination.nextCursor);
  const second = await call(rows.list, { ...as, query: { limit: '2', cursor } });
  deepEqual(
    [...first.body.data, ...second.body.data].map(({ id }) => id),
    ids,
  );
  deepEqual(second.body.pagination, { nextCursor: null, hasMore: false });
});

describe('conflicting settings are refused by field, before any request to the store', () => {
  const role = { roleArn: 'arn:aws:iam::210987654321:role/r' };
  for (const [what, field, more] of [
    ['no type', 'type', { type: undefined }],
    ['an unknown type', 'type', { type: 'azure' }],
    ['no bucket', 'bucket', { bucket: undefined }],
    ['a path for a bucket', 'bucket', { bucket: 'a/b' }],
    ['a bucket in capitals', 'bucket', { bucket: 'Bucket' }],
    ['a bucket that is an address', 'bucket', { bucket: '127.0.0.1' }],
    ['a bucket with an underscore on s3', 'bucket', { bucket: 'a_bucket' }],
    ['a directory bucket', 'bucket', { bucket: 'name--use1-az4--x-s3' }],
    ['no credentials', 'credentials', { credentials: undefined }],
    ['empty credentials', 'credentials', { credentials: {} }],
    ['half of a key', 'credentials', { credentials: { accessKeyId: 'x' } }],
    ['a key and a role', 'credentials', { credentials: { ...keys, ...role } }],
    ['an ARN of something else', 'credentials.roleArn', { credentials: { roleArn: 'arn:aws:iam::210987654321:user/u' } }],
    ['a Google account for s3', 'credentials', { credentials: google }],
    ['a role for spaces', 'credentials', { type: 'spaces', region: 'fra1', credentials: role }],
    ['a role with an endpoint', 'credentials', { endpoint: 'https://s3.example.com', credentials: role }],
    ['a key for gcs', 'credentials', { type: 'gcs' }],
    [
      'a private key that is none',
      'credentials.privateKey',
      { type: 'gcs', credentials: { ...google, privateKey: pem('garbage') } },
    ],
    ['spaces without a region', 'region', { type: 'spaces' }],
    ['a region that is an address', 'region', { region: 'evil.example.com/' }],
    ['an endpoint for gcs', 'endpoint', { type: 'gcs', credentials: google, endpoint: 'https://example.com' }],
    ['a lock for spaces', 'objectLock', { type: 'spaces', region: 'fra1', objectLock: { mode: 'governance', days: 1 } }],
    ['a lock of no days', 'objectLock.days', { objectLock: { mode: 'governance', days: 0 } }],
    ['a lock of another mode', 'objectLock.mode', { objectLock: { mode: 'strict', days: 1 } }],
    ['server-side encryption for gcs', 'sse', { type: 'gcs', credentials: google, sse: 'AES256' }],
    ['an unknown server-side encryption', 'sse', { sse: 'aws:kms:dsse' }],
    ['a KMS key without server-side encryption', 'sseKmsKeyId', { sseKmsKeyId: 'alias/backups' }],
    ['a KMS key for AES256', 'sseKmsKeyId', { sse: 'AES256', sseKmsKeyId: 'alias/backups' }],
    ['a KMS key for gcs', 'sseKmsKeyId', { type: 'gcs', credentials: google, sseKmsKeyId: 'alias/backups' }],
    ['a KMS key that is none', 'sseKmsKeyId', { sse: 'aws:kms', sseKmsKeyId: 'my key' }],
    [
      'an ARN of another service for a KMS key',
      'sseKmsKeyId',
      { sse: 'aws:kms', sseKmsKeyId: 'arn:aws:iam::210987654321:role/r' },
    ],
    ['a prefix that leads out', 'prefix', { prefix: '../other' }],
    ['a prefix from the root', 'prefix', { prefix: '/absolute' }],
    ['a prefix with an empty part', 'prefix', { prefix: 'a//b' }],
    ['an unknown field', 'path', { path: 'x' }],
    ['text for yes or no', 'immutable', { immutable: 'true' }],
    ['no name', 'name', { name: '' }],
  ] as const)
    test(what, async () => invalid(await create(more), field));
});

describe('an endpoint that is not public is refused', () => {
  for (const endpoint of [
    'http://example.com',
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://[::1]',
    'https://[::ffff:169.254.169.254]',
    'https://169.254.169.254',
    'https://10.0.0.1:9000',
    'https://127.0.0.2:9000',
    'https://user:pass@example.com',
    'https:example.com',
    'https://example.com/path',
    'ftp://example.com',
    '',
  ])
    for (const type of ['s3', 'spaces'])
      test(`${endpoint || 'nothing'} for ${type}`, async () =>
        invalid(await create({ type, region: 'fra1', endpoint }), 'endpoint'));

  test('also when a destination is updated', async () => {
    const { id } = await made();
    invalid(await update(id, { endpoint: 'https://169.254.169.254' }), 'endpoint');
  });

  test('unless the deployment allows it', async () => {
    const endpoint = stageVariable('STAGE_S3_URL');
    for (const type of ['s3', 'spaces']) equal((await made({ type, endpoint })).endpoint, endpoint);
  });
});

test('destination: with object lock, stored objects are locked, or the destination is not stored', async () => {
  const objectLock = { mode: 'governance', days: 30 };
  refused(await create({ objectLock }), 'write', /InvalidRequest.* Enable Object Lock on the bucket/);
  const lockable = await newBucket(undefined, { hasObjectLock: true });
  const data = await made({ bucket: lockable, objectLock });
  deepEqual(data.objectLock, objectLock);
  equal((await update(data.id, { objectLock: null })).body.data.objectLock, null);
});

// Cases 104 and 107 of the list of bad inputs.
afterAll(async () => {
  const exported = await call(auditLogs.list, { ...by, query: { limit: '100' } });
  const outputs = { answers: seen.join('\n'), audit: exported.text, logs: logs(), table: JSON.stringify(await allItems()) };
  ok(seen.length > 100 && outputs.audit.includes('storage.created') && outputs.table.includes(by.org));
  for (const [output, text] of Object.entries(outputs))
    for (const secret of [keys.accessKeyId, keys.secretAccessKey, `other-${canary}`, pemLine])
      ok(!text.includes(secret), `${secret.slice(0, 6)}… is in the ${output}`);
});

function pem(text: string): string {
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
}
