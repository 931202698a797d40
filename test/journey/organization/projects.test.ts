/** Projects: connected with a user's grant or a Google service account, and disconnected when that is revoked. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeAll, describe, test } from 'vitest';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { newId } from '../../../shared/platform/index.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { Browser, onThePage } from '../../harness/stage/browser.ts';
import { call, stageUrl, stageVariable } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { addMember, newOrganization, newServiceAccountKey, type TestOrganization } from '../../harness/stage/organization.ts';
import { newEmail, revokeGrants, signIn } from '../../harness/stage/person.ts';
import { allItems, getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });
const source = (prefix = 'source') => `${prefix}-${randomUUID().slice(0, 8)}`;
const privateKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = (name = 'backup') => ({
  clientEmail: `${name}-${randomUUID().slice(0, 8)}@p.iam.gserviceaccount.com`,
  privateKey: privateKey(),
});
const actionsIn = async (organizationId: string) => (await itemsOf(`AUDIT#${organizationId}`)).map(({ action }) => action);
const eventsIn = async (organizationId: string) =>
  (await itemsOf(`ORG#${organizationId}`)).filter(({ sk }) => sk.startsWith('EVENT#')).map(({ type }) => type);
const refusal = ({ status, body }: { status: number; body: { error: { code: string } } }) => [status, body.error.code];

test('project: it is connected, read, listed, updated and disconnected', async () => {
  const organization = await newOrganization();
  const sourceProjectId = source();
  const created = await call(projects.create, { ...by(organization), body: { name: 'Shop', sourceProjectId } });
  equal(created.status, 201, created.text);
  const { data: project } = created.body;
  match(project.id, /^prj_[0-9A-Z]{26}$/);
  deepEqual([project.database.state, project.database.edition], ['known', 'standard']);
  deepEqual(
    { ...project, id: '', createdAt: '', updatedAt: '' },
    {
      id: '',
      name: 'Shop',
      sourceProjectId,
      databaseId: '(default)',
      labels: {},
      status: 'connected',
      connection: { type: 'user', email: organization.owner.email },
      settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
      database: project.database,
      pitr: { enabled: false },
      lastBackupAt: null,
      createdAt: '',
      updatedAt: '',
    },
  );
  const params = { projectId: project.id };
  deepEqual((await call(projects.get, { ...by(organization), params })).body.data, project);
  deepEqual((await call(projects.list, by(organization))).body.data, [project]);
  equal((await call(organizations.current, by(organization))).body.data.statistics.projectCount, 1);

  const change = { name: 'Store', settings: { backupTimeoutMinutes: 720, maxReads: 5 } };
  const changed = await call(projects.update, { ...by(organization), params, body: change });
  equal(changed.status, 200, changed.text);
  deepEqual(changed.body.data.settings, { backupTimeoutMinutes: 720, defaultStorageId: null, maxReads: 5 });
  equal(changed.body.data.name, 'Store');
  const reset = await call(projects.update, { ...by(organization), params, body: { settings: { maxReads: null } } });
  deepEqual(reset.body.data.settings, { backupTimeoutMinutes: 720, defaultStorageId: null });
  deepEqual((await call(projects.get, { ...by(organization), params })).body.data, reset.body.data);

  equal((await call(projects.remove, { ...by(organization), params })).status, 200);
  deepEqual(refusal(await call(projects.get, { ...by(organization), params })), [404, 'PROJECT_NOT_FOUND']);
  deepEqual((await call(projects.list, by(organization))).body.data, []);
  equal((await call(organizations.current, by(organization))).body.data.statistics.projectCount, 0);
  deepEqual(await actionsIn(organization.id), [
    'organization.created',
    'project.created',
    'project.updated',
    'project.updated',
    'project.deleted',
  ]);
  deepEqual((await eventsIn(organization.id)).slice(1), ['project.created', 'project.deleted']);
  // The database can be connected again.
  equal((await call(projects.create, { ...by(organization), body: { name: 'Again', sourceProjectId } })).status, 201);
});

test('project: an empty update changes nothing and leaves no event or audit entry', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const before = await actionsIn(organization.id);
  for (const body of [{}, { settings: {} }]) {
    const { status, body: answer } = await call(projects.update, {
      ...by(organization),
      params: { projectId: project.id },
      body,
    });
    deepEqual([status, answer.data], [200, project]);
  }
  deepEqual(await actionsIn(organization.id), before);
});

test('project: concurrent updates of different settings both succeed', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const change = (settings: object) =>
    call(projects.update, { ...by(organization), params: { projectId: project.id }, body: { settings } });
  const results = await Promise.all([change({ maxReads: 7 }), change({ backupTimeoutMinutes: 60 })]);
  deepEqual(
    results.map(({ status }) => status),
    [200, 200],
  );
  const { body } = await call(projects.get, { ...by(organization), params: { projectId: project.id } });
  deepEqual(body.data.settings, { backupTimeoutMinutes: 60, defaultStorageId: null, maxReads: 7 });
});

test('project: one database can be connected twice and by several organizations', async () => {
  const [one, two] = await Promise.all([newOrganization(), newOrganization()]);
  const body = { name: 'Shop', sourceProjectId: source() };
  const results = await Promise.all([one, one, two].map((organization) => call(projects.create, { ...by(organization), body })));
  deepEqual(
    results.map(({ status }) => status),
    [201, 201, 201],
  );
  equal((await call(organizations.current, by(one))).body.data.statistics.projectCount, 2);
});

for (const { prefix, code, words, consent, hint } of [
  {
    ...{ prefix: 'denied', code: 'SOURCE_AUTH_ERROR', words: /PERMISSION_DENIED/ },
    ...{ consent: '/api/v1/auth/google', hint: 'and the consent URL' },
  },
  {
    ...{ prefix: 'missing', code: 'SOURCE_NOT_FOUND', words: /NOT_FOUND/ },
    ...{ consent: undefined, hint: 'and no consent URL, which would not help' },
  },
])
  test(`project: a source that is ${prefix} is not connected; the error has the reason ${hint}`, async () => {
    const organization = await newOrganization();
    const result = await call(projects.create, {
      ...by(organization),
      body: { name: 'Shop', sourceProjectId: source(prefix) },
    });
    deepEqual(refusal(result), [422, code]);
    match(String(result.body.error.details.reason), words);
    equal(result.body.error.details.authorizationUrl, consent && stageUrl() + consent);
    deepEqual((await call(projects.list, by(organization))).body.data, []);
    deepEqual(await actionsIn(organization.id), ['organization.created']);
  });

test('project: consent without the datastore scope is refused and names the scope', async () => {
  const browser = new Browser();
  const scope = 'https://www.googleapis.com/auth/cloud-platform';
  const email = newEmail();
  await browser.go(await onThePage(browser, new URLSearchParams({ email, chosen: 'yes', scope })));
  const accessToken = browser.cookie('__Host-bms_access')!;
  const organization = await newOrganization({ accessToken, email, userId: '', refreshToken: '' });
  const result = await call(projects.create, { ...by(organization), body: { name: 'Shop', sourceProjectId: source() } });
  deepEqual(refusal(result), [422, 'SOURCE_AUTH_ERROR']);
  match(result.body.error.message, /https:\/\/www\.googleapis\.com\/auth\/datastore/);
});

test('project: a revoked grant is detected at the next call, and a new consent repairs it', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const params = { projectId: project.id };
  await revokeGrants(organization.owner.email);
  deepEqual(refusal(await call(projects.collections, { ...by(organization), params })), [422, 'SOURCE_AUTH_ERROR']);
  const refused = await call(projects.reconnect, { ...by(organization), params });
  deepEqual(refusal(refused), [422, 'SOURCE_AUTH_ERROR']);
  equal(refused.body.error.details.authorizationUrl, `${stageUrl()}/api/v1/auth/google`);
  equal((await call(projects.get, { ...by(organization), params })).body.data.status, 'unauthorized');
  // The change is audited once.
  await call(projects.reconnect, { ...by(organization), params });
  deepEqual((await actionsIn(organization.id)).slice(-2), ['project.created', 'project.unauthorized']);

  await signIn(organization.owner.email);
  const mended = await call(projects.reconnect, { ...by(organization), params });
  deepEqual([mended.status, mended.body.data.status], [200, 'connected']);
  equal((await call(projects.collections, { ...by(organization), params })).status, 200);
  equal((await actionsIn(organization.id)).at(-1), 'project.reconnected');
});

test('project: a backup with a revoked grant fails at once and marks the project for reconnection', async () => {
  const organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await revokeGrants(organization.owner.email);
  const begun = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const { status, error } = await endOf(organization, begun.id);
  deepEqual([status, error?.code], ['failed', 'SOURCE_AUTH_ERROR']);
  const { body } = await call(projects.get, { ...by(organization), params: { projectId: project.id } });
  equal(body.data.status, 'unauthorized');
});

test("project: reconnecting uses the caller's grant or the given credentials", async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const params = { projectId: project.id };
  const member = await addMember(organization, 'member');
  const theirs = await call(projects.reconnect, { token: member.accessToken, org: organization.id, params });
  deepEqual(theirs.body.data.connection, { type: 'user', email: member.email });
  const credentials = account();
  const given = await call(projects.reconnect, { ...by(organization), params, body: { credentials } });
  deepEqual(given.body.data.connection, { type: 'service_account', email: credentials.clientEmail });
  equal((await call(projects.collections, { ...by(organization), params })).status, 200);
});

test('project: the grant of a removed member is no longer used', async () => {
  const organization = await newOrganization();
  const member = await addMember(organization, 'member');
  const created = await call(projects.create, {
    ...{ token: member.accessToken, org: organization.id },
    body: { name: 'Shop', sourceProjectId: source() },
  });
  const params = { projectId: created.body.data.id };
  equal((await call(projects.collections, { ...by(organization), params })).status, 200);
  await call(members.remove, { ...by(organization), params: { userId: member.userId } });
  deepEqual(refusal(await call(projects.collections, { ...by(organization), params })), [422, 'SOURCE_AUTH_ERROR']);
});

test("project: an API key connects with its creator's grant only databases that the organization has connected", async () => {
  const organization = await newOrganization();
  const apiKey = await newServiceAccountKey(organization, ['projects:write']);
  const key = { token: apiKey, org: organization.id };
  const sourceProjectId = source();
  const body = { name: 'Shop', sourceProjectId };
  const foreign = await newOrganization();
  equal((await call(projects.create, { ...by(foreign), body })).status, 201);
  const refused = await call(projects.create, { ...key, body });
  deepEqual([...refusal(refused), refused.body.error.details], [403, 'FORBIDDEN', { sourceProjectId, databaseId: '(default)' }]);
  const connected = await call(projects.create, { ...by(organization), body });
  equal((await call(projects.create, { ...key, body })).status, 201);
  // Another database of the same Google project is as foreign as another project.
  const other = { ...body, databaseId: 'payroll' };
  const otherRefused = await call(projects.create, { ...key, body: other });
  const details = { sourceProjectId, databaseId: 'payroll' };
  deepEqual([...refusal(otherRefused), otherRefused.body.error.details], [403, 'FORBIDDEN', details]);
  equal((await call(projects.create, { ...by(organization), body: other })).status, 201);
  equal((await call(projects.create, { ...key, body: other })).status, 201);
  const params = { projectId: connected.body.data.id };
  equal((await call(projects.reconnect, { ...key, params })).status, 200);
});

test("project: an API key connects with its creator's grant as long as the creator is allowed to", async () => {
  const organization = await newOrganization();
  const admin = await addMember(organization, 'admin');
  const apiKey = await newServiceAccountKey({ ...organization, owner: admin }, ['projects:read', 'projects:write']);
  const key = { token: apiKey, org: organization.id };
  const sourceProjectId = source();
  await call(projects.create, { ...by(organization), body: { name: 'Shop', sourceProjectId } });
  const made = await call(projects.create, { ...key, body: { name: 'Shop', sourceProjectId } });
  deepEqual([made.status, made.body.data.connection], [201, { type: 'user', email: admin.email }]);

  // The keys of an admin end with their role.
  await call(members.update, { ...by(organization), params: { userId: admin.userId }, body: { role: 'viewer' } });
  deepEqual(refusal(await call(projects.create, { ...key, body: { name: 'Shop', sourceProjectId } })), [401, 'UNAUTHORIZED']);
});

test('project: an API key connects only with credentials if its creator is unknown or may not connect', async () => {
  const organization = await newOrganization();
  const viewer = await addMember(organization, 'viewer');
  const apiKey = await newServiceAccountKey(organization, ['projects:write']);
  const key = { token: apiKey, org: organization.id };
  const sourceProjectId = source();
  await call(projects.create, { ...by(organization), body: { name: 'Shop', sourceProjectId } });
  const stored = (await getItem({ pk: `ORG#${organization.id}`, sk: 'SERVICE_ACCOUNT' }))!;
  // The first as stored before keys ended with a role, the second as stored before the field `createdBy`.
  const { createdBy: _, ...older } = stored;
  for (const record of [{ ...stored, createdBy: viewer.userId }, older]) {
    await putItem(record as typeof stored);
    const refused = await call(projects.create, { ...key, body: { name: 'Shop', sourceProjectId } });
    deepEqual([...refusal(refused), refused.body.error.details.field], [400, 'VALIDATION_ERROR', 'credentials']);
  }
  const given = { name: 'Shop', sourceProjectId: source(), credentials: account() };
  equal((await call(projects.create, { ...key, body: given })).status, 201);
});

test('project: a service account refused by Google is not connected', async () => {
  const organization = await newOrganization();
  const body = { name: 'Shop', sourceProjectId: source(), credentials: account('denied') };
  deepEqual(refusal(await call(projects.create, { ...by(organization), body })), [422, 'SOURCE_AUTH_ERROR']);
  // It must sign with a key of the account.
  const { clientEmail } = account();
  const answer = await fetch(`${stageVariable('STAGE_IDP_URL')}/google/accounts/${clientEmail}/keys`, { method: 'POST' });
  const { private_key } = (await answer.json()) as { private_key: string };
  const wrong = { ...body, credentials: { clientEmail, privateKey: privateKey() } };
  deepEqual(refusal(await call(projects.create, { ...by(organization), body: wrong })), [422, 'SOURCE_AUTH_ERROR']);
  // As in a key file: with \n for line ends.
  const right = { ...body, credentials: { clientEmail, privateKey: private_key.replaceAll('\n', '\\n') } };
  equal((await call(projects.create, { ...by(organization), body: right })).status, 201);
});

const pem = (text: string) => `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
describe('bad input', () => {
  let organization: TestOrganization;
  beforeAll(async () => {
    organization = await newOrganization();
  });
  for (const [what, more, field] of [
    ['no source', { sourceProjectId: undefined }, 'sourceProjectId'],
    ['a path for a source', { sourceProjectId: 'a/b' }, 'sourceProjectId'],
    ['an empty source', { sourceProjectId: '' }, 'sourceProjectId'],
    ['a name of spaces', { name: ' ' }, 'name'],
    ['a database that is none', { databaseId: '../x' }, 'databaseId'],
    ['a timeout of 4 minutes', { settings: { backupTimeoutMinutes: 4 } }, 'settings.backupTimeoutMinutes'],
    ['a timeout of 721 minutes', { settings: { backupTimeoutMinutes: 721 } }, 'settings.backupTimeoutMinutes'],
    ['a timeout of 5.5 minutes', { settings: { backupTimeoutMinutes: 5.5 } }, 'settings.backupTimeoutMinutes'],
    ['no reads at all', { settings: { maxReads: 0 } }, 'settings.maxReads'],
    ['an unknown setting', { settings: { timeout: 5 } }, 'settings.timeout'],
    ['an unknown field', { source: 'x' }, 'source'],
    ['a destination that is no id', { settings: { defaultStorageId: 'x' } }, 'settings.defaultStorageId'],
    ['a key that is none', { credentials: { clientEmail: 'a@b.com', privateKey: 'x' } }, 'credentials.privateKey'],
    ['a key of noise', { credentials: { clientEmail: 'a@b.com', privateKey: pem('bm9pc2U=') } }, 'credentials.privateKey'],
    ['a key of another kind', { credentials: { clientEmail: 'a@b.com', privateKey: ec } }, 'credentials.privateKey'],
    ['an account that is no address', { credentials: { clientEmail: 'a', privateKey: pem('x') } }, 'credentials.clientEmail'],
    ['an account without a key', { credentials: { clientEmail: 'a@b.com' } }, 'credentials.privateKey'],
  ] as const)
    test(`${what} is refused and nothing is stored`, async () => {
      const body = { name: 'Shop', sourceProjectId: source(), ...more };
      const result = await call(projects.create, { ...by(organization), body });
      deepEqual([...refusal(result), result.body.error.details.field], [400, 'VALIDATION_ERROR', field], result.text);
      equal((await itemsOf(`ORG#${organization.id}`)).filter(({ sk }) => /^(PROJECT|SOURCE)#/.test(sk)).length, 0);
    });
});

test('project: the default destination must belong to the organization', async () => {
  const organization = await newOrganization();
  const settings = { defaultStorageId: newId('storageDestination') };
  const body = { name: 'Shop', sourceProjectId: source(), settings };
  deepEqual(refusal(await call(projects.create, { ...by(organization), body })), [404, 'STORAGE_NOT_FOUND']);
  const project = await newProject(organization);
  const changed = await call(projects.update, { ...by(organization), params: { projectId: project.id }, body: { settings } });
  deepEqual(refusal(changed), [404, 'STORAGE_NOT_FOUND']);
  deepEqual((await call(projects.list, by(organization))).body.data, [project]);
});

test('project: it cannot be disconnected while a job runs', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const job = { pk: `ORG#${organization.id}`, sk: `JOB#${project.id}`, jobId: newId('backup'), kind: 'backup', since: '' };
  await putItem(job);
  const refused = await call(projects.remove, { ...by(organization), params: { projectId: project.id } });
  deepEqual(refusal(refused), [409, 'JOB_IN_PROGRESS']);
  deepEqual(refused.body.error.details, { jobId: job.jobId, kind: 'backup' });
});

test('project: root collections are listed with their document counts, page by page', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization, { databaseId: 'named' });
  const documents = { 'a/1': {}, 'a/2': {}, 'a/1/a/3': {}, 'b/1/below/1': {}, 'ü/1': {}, 'z/1': {} };
  await seed(project.sourceProjectId, documents, 'named');
  const params = { projectId: project.id };
  const all = await call(projects.collections, { ...by(organization), params });
  const expected = [
    { id: 'a', count: 2 },
    { id: 'b', count: 0 },
    { id: 'z', count: 1 },
    { id: 'ü', count: 1 },
  ];
  deepEqual(all.body.data, expected);
  const first = await call(projects.collections, { ...by(organization), params, query: { limit: '3' } });
  deepEqual([first.body.data, first.body.pagination.hasMore], [expected.slice(0, 3), true]);
  const cursor = first.body.pagination.nextCursor!;
  const rest = await call(projects.collections, { ...by(organization), params, query: { limit: '3', cursor } });
  deepEqual([rest.body.data, rest.body.pagination], [expected.slice(3), { nextCursor: null, hasMore: false }]);
});

test('project: the list is newest first, page by page', async () => {
  const organization = await newOrganization();
  const made = [];
  for (let n = 0; n < 3; n++) made.unshift((await newProject(organization)).id);
  const first = await call(projects.list, { ...by(organization), query: { limit: '2' } });
  const cursor = first.body.pagination.nextCursor!;
  const rest = await call(projects.list, { ...by(organization), query: { limit: '2', cursor } });
  deepEqual(
    [...first.body.data, ...rest.body.data].map(({ id }) => id),
    made,
  );
});

test('project: no private key, grant or access token is in the table, logs, events or responses', async () => {
  const organization = await newOrganization();
  const credentials = account('canary');
  const body = { name: 'Shop', sourceProjectId: source(), credentials };
  const headers = { 'idempotency-key': randomUUID() };
  const created = await call(projects.create, { ...by(organization), body, headers });
  equal(created.status, 201);
  const params = { projectId: created.body.data.id };
  const seen = await call(projects.collections, { ...by(organization), params });
  const answers = created.text + seen.text + (await call(projects.list, by(organization))).text;
  const everything = JSON.stringify(await allItems()) + logs() + answers;
  const canary = credentials.privateKey.split('\n')[5]!;
  equal(canary.length, 64);
  ok(!everything.includes(canary) && !everything.includes(Buffer.from(canary).toString('base64').slice(8, 60)));
  ok(!/local-google\.|BEGIN PRIVATE KEY|-----END/.test(everything));
});
