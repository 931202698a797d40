/** The audit log as its readers see it. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import type * as z from 'zod/mini';
import { type AuditEntry, auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { invites } from '../../../shared/contract/endpoints/invitations.ts';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { auditRetentionDays } from '../../../shared/contract/limits.ts';
import { idBounds, newId } from '../../../shared/platform/index.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { api, call } from '../../harness/stage/client.ts';
import { addMember, newOrganization, newServiceAccountKey, type TestOrganization } from '../../harness/stage/organization.ts';
import { newEmail, type Person } from '../../harness/stage/person.ts';
import { itemsOf, putItem } from '../../harness/stage/table.ts';

type Entry = z.output<typeof AuditEntry>;

let organization: TestOrganization;
let admin: Person;
const as = () => ({ token: organization.owner.accessToken, org: organization.id });
const list = async (query: Record<string, string> = {}) => (await call(auditLogs.list, { ...as(), query })).body;
const rename = (name: string, headers: Record<string, string> = {}) =>
  call(organizations.update, { ...as(), body: { name }, headers });

beforeAll(async () => {
  organization = await newOrganization();
  admin = await addMember(organization, 'admin');
});

test('audit: a change creates one entry with actor, action, origin and request id', async () => {
  const before = (await list()).data.length;
  const { headers } = await rename('Renamed', { 'user-agent': 'journey/1' });
  const { data } = await list();
  equal(data.length, before + 1);
  const entry = data[0]!;
  match(entry.id, /^aud_/);
  equal(entry.action, 'organization.updated');
  deepEqual(entry.actor, { type: 'user', id: organization.owner.userId, email: organization.owner.email });
  deepEqual(entry.resource, { type: 'organization', id: organization.id });
  deepEqual(entry.organization, { id: organization.id });
  equal(entry.context.requestId, headers.get('x-request-id'));
  equal(entry.context.userAgent, 'journey/1');
  ok(entry.context.ip);
  ok(Math.abs(Date.parse(entry.timestamp) - Date.now()) < 60_000);
});

test('audit: reads, refused calls and calls without effect create no entry', async () => {
  const before = (await list()).data.length;
  await call(organizations.current, as());
  await call(auditLogs.download, as());
  await call(organizations.update, { ...as(), body: { name: '' } });
  await call(organizations.update, { ...as(), body: {} });
  await call(members.remove, { ...as(), params: { userId: newId('user') } });
  await call(organizations.update, { token: admin.accessToken, org: newId('organization'), body: { name: 'x' } });
  equal((await list()).data.length, before);
});

test('audit: the list is newest first, page by page, to the end', async () => {
  for (let n = 0; n < 7; n++) await rename(`Name ${n}`);
  const all = (await list({ limit: '100' })).data;
  deepEqual(
    all.map(({ id }) => id),
    all
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  );
  const seen: string[] = [];
  for (let cursor: string | null = null, first = true; first || cursor; first = false) {
    const page = await list({ limit: '3', ...(cursor && { cursor }) });
    equal(page.pagination.hasMore, page.pagination.nextCursor !== null);
    ok(page.data.length === 3 || !page.pagination.hasMore);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.pagination.nextCursor;
  }
  deepEqual(
    seen,
    all.map(({ id }) => id),
  );
});

test('audit: new entries do not shift pages', async () => {
  const first = await list({ limit: '2' });
  await rename('In between');
  const second = await list({ limit: '2', cursor: first.pagination.nextCursor! });
  ok(second.data[0]!.id < first.data[1]!.id);
});

test('audit: filters work alone and combined', async () => {
  await call(invites.create, { token: admin.accessToken, org: organization.id, body: { email: newEmail() } });
  const only = async (query: Record<string, string>, fits: (entry: Entry) => boolean) => {
    const { data } = await list({ limit: '100', ...query });
    ok(data.length > 0 && data.every(fits), JSON.stringify(query));
  };
  await only({ action: 'organization.updated' }, ({ action }) => action === 'organization.updated');
  await only({ actorId: admin.userId }, ({ actor }) => actor.id === admin.userId);
  await only({ resourceType: 'invitation' }, ({ resource }) => resource.type === 'invitation');
  await only(
    { action: 'invitation.created', actorId: admin.userId },
    ({ action, actor }) => action === 'invitation.created' && actor.id === admin.userId,
  );
  deepEqual((await list({ action: 'organization' })).data, []);
});

test('audit: a cursor can be used with other dates', async () => {
  const { pagination } = await list({ limit: '2' });
  const cursor = pagination.nextCursor!;
  deepEqual((await list({ cursor, from: '2001-01-01', to: '2001-01-02' })).data, []);
  deepEqual((await list({ cursor, from: '2999-01-01' })).data, []);
  ok((await list({ cursor, from: '2001-01-01' })).data.length > 0);
});

test('audit: dates are inclusive, a date without time is the whole day, and ranges of ten years work', async () => {
  const { data } = await list({ limit: '100' });
  const day = data[0]!.timestamp.slice(0, 10);
  ok((await list({ from: day, to: day })).data.length > 0);
  const middle = data[3]!.timestamp;
  const newer = (await list({ limit: '100', from: middle })).data;
  ok(newer.some(({ id }) => id === data[3]!.id));
  ok(newer.every(({ timestamp }) => timestamp >= middle));
  const older = (await list({ limit: '100', to: middle })).data;
  ok(older.some(({ id }) => id === data[3]!.id) && older.every(({ timestamp }) => timestamp <= middle));
  deepEqual((await list({ to: '2001-01-01' })).data, []);
  ok((await list({ from: '2020-01-01', to: '2030-01-01' })).data.length > 0);
});

for (const [query, field] of [
  ['from=yesterday', 'from'],
  ['from=2026-02-30', 'from'],
  ['to=1700000000', 'to'],
  ['from=2026-01-02&to=2026-01-01', 'from'],
  ['from=2026-01-01T00:00:00', 'from'],
  ['from=', 'from'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['cursor=x', 'cursor'],
  ['actor=x', 'actor'],
  ['action=a&action=b', 'action'],
  [`action=${'x'.repeat(101)}`, 'action'],
] as const)
  test(`audit: ?${query.slice(0, 40)} is refused by name`, async () => {
    for (const path of [auditLogs.list.path, auditLogs.download.path]) {
      const { status, body } = await api('GET', `${path}?${query}`, as());
      equal(status, 400);
      equal(body.error.code, 'VALIDATION_ERROR');
      equal(body.error.details.field, field);
    }
  });

test('audit: an unknown export format is refused with the allowed values', async () => {
  const { body } = await api('GET', `${auditLogs.download.path}?format=xml`, as());
  deepEqual(body.error.details.allowedValues, ['csv', 'json']);
  deepEqual(body.error.details.invalidValues, ['xml']);
});

const dangerous = ['=HYPERLINK("http://evil.example","x")', '+1+1', '-1+1', '@SUM(1)', '＝1+1', '","=1+1', "a';DROP"];

test('audit: formula-like names are escaped in CSV and unchanged in JSON', async () => {
  for (const name of dangerous) await rename(name, { 'user-agent': name.normalize('NFKC') });
  const csv = await call(auditLogs.download, as());
  equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  match(csv.headers.get('content-disposition') ?? '', /^attachment; filename="audit-logs-\d{4}-\d\d-\d\d\.csv"$/);
  equal(csv.headers.get('x-content-type-options'), 'nosniff');
  const [columns = [], ...rows] = parseCsv(csv.text);
  for (const row of rows) {
    equal(row.length, columns.length);
    for (const cell of row) ok(!/^[=+\-@\t\r\n\0＝＋－＠]/.test(cell), cell);
  }
  const json = await call(auditLogs.download, { ...as(), query: { format: 'json' } });
  match(json.headers.get('content-type') ?? '', /^application\/json/);
  match(json.headers.get('content-disposition') ?? '', /^attachment; filename="audit-logs-.*\.json"$/);
  const entries = JSON.parse(json.text) as Entry[];
  for (const name of dangerous)
    ok(JSON.stringify(entries.map(({ details }) => details)).includes(JSON.stringify(name).slice(1, -1)), name);
  ok(entries.some(({ context }) => context.userAgent === '+1+1'));
  deepEqual(
    rows.map(([id]) => id),
    entries.map(({ id }) => id),
  );
});

test('audit: an export accepts the filters of the list', async () => {
  const { text } = await call(auditLogs.download, { ...as(), query: { format: 'json', action: 'organization.created' } });
  deepEqual(
    (JSON.parse(text) as Entry[]).map(({ action }) => action),
    ['organization.created'],
  );
});

// DynamoDB removes an item some time after its TTL, up to two days later.
test('audit: expired entries disappear at once; others are kept as long as the plan allows', async () => {
  const [kept] = (await itemsOf(`AUDIT#${organization.id}`)).slice(-1);
  const at = new Date(Date.now() - 3_600_000);
  const { first: id } = idBounds('audit', at, at);
  const expired = { ...kept!, sk: `ENTRY#${id}`, id, action: 'long.gone', ttl: Math.floor(Date.now() / 1_000) - 1 };
  await putItem(expired);
  deepEqual((await list({ action: 'long.gone' })).data, []);
  ok(!(await call(auditLogs.download, as())).text.includes('long.gone'));
  const days = (Number(kept!.ttl) - Date.parse(String(kept!.timestamp)) / 1_000) / (24 * 3_600);
  ok(Object.values(auditRetentionDays).includes(Math.round(days)), String(days));
});

test('audit: a service account with scope can read the log and is named in it', async () => {
  const apiKey = await newServiceAccountKey(organization, ['organization:read', 'organization:write']);
  await call(organizations.update, { token: apiKey, org: organization.id, body: { name: 'By key' } });
  const { status, body } = await call(auditLogs.list, { token: apiKey, org: organization.id, query: { limit: '1' } });
  equal(status, 200);
  equal(body.data[0]!.actor.type, 'service_account');
  match(body.data[0]!.actor.id, /^sa_/);
});

test('audit: no method changes the log', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const path of [auditLogs.list.path, auditLogs.download.path])
      equal((await api(method, path, { ...as(), body: {} })).status, 405);
});

test('audit: an export of more than one table page is complete', async () => {
  const { id } = await newOrganization(organization.owner);
  const [entry] = await itemsOf(`AUDIT#${id}`);
  const many = Array.from({ length: 150 }, (_, n) => {
    const at = new Date(Date.now() - (n + 1) * 1_000);
    const made = idBounds('audit', at, at).first;
    return { ...entry!, sk: `ENTRY#${made}`, id: made, details: { n, filler: 'x'.repeat(10_000) } };
  });
  for (let n = 0; n < many.length; n += 50) await Promise.all(many.slice(n, n + 50).map(putItem));
  const by = { token: organization.owner.accessToken, org: id };
  const { status, text } = await call(auditLogs.download, { ...by, query: { format: 'json' } });
  equal(status, 200);
  equal((JSON.parse(text) as Entry[]).length, many.length + 1);
});

// Any client can send the headers of CloudFront.
test('audit: viewer headers of a client are not believed, so the location is null', async () => {
  const { id: org, owner } = await newOrganization();
  const by = { token: owner.accessToken, org };
  const headers = { 'cloudfront-viewer-country': 'KP', 'cloudfront-viewer-country-region': '01', 'x-cloudfront-secret': '' };
  equal((await call(organizations.update, { ...by, body: { name: 'Elsewhere' }, headers })).status, 200);
  const { body } = await call(auditLogs.list, { ...by, query: { action: 'organization.updated' } });
  equal(body.data[0]!.context.location, null);
});

test('audit: the location is the stored one, else the country of a public address, in the list and in both exports', async () => {
  const { id: org, owner } = await newOrganization();
  const [entry] = await itemsOf(`AUDIT#${org}`);
  const contexts = [
    { ip: '80.187.1.1', location: null },
    { ip: '2804:10::1', location: null },
    { ip: '80.187.1.1', location: 'FR, Paris' },
    { ip: '192.168.1.1', location: null },
  ];
  for (const [n, context] of contexts.entries()) {
    const at = new Date(Date.now() - (n + 1) * 1_000);
    const id = idBounds('audit', at, at).first;
    await putItem({
      ...entry!,
      sk: `ENTRY#${id}`,
      id,
      action: 'placed',
      context: { userAgent: null, requestId: 'r', ...context },
    });
  }
  const by = { token: owner.accessToken, org };
  const expected = ['DE', 'BR', 'FR, Paris', null];
  const { body } = await call(auditLogs.list, { ...by, query: { action: 'placed' } });
  deepEqual(
    body.data.map(({ context }) => context.location),
    expected,
  );
  const json = await call(auditLogs.download, { ...by, query: { action: 'placed', format: 'json' } });
  deepEqual(
    (JSON.parse(json.text) as Entry[]).map(({ context }) => context.location),
    expected,
  );
  const csv = await call(auditLogs.download, { ...by, query: { action: 'placed' } });
  const [head = [], ...rows] = parseCsv(csv.text);
  deepEqual(
    rows.map((row) => row[head.indexOf('context.location')] || null),
    expected,
  );
});
