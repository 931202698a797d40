/** Organizations: created, listed, read and updated. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { signIn } from '../../harness/stage/person.ts';
import { getItem, itemsOf, putItem } from '../../harness/stage/table.ts';

const owner = await signIn();
const token = owner.accessToken;
const unique = owner.userId.slice(-8).toLowerCase();

test('organization: creating it stores its owner, event and audit entry', async () => {
  const made = await call(organizations.create, { token, body: { name: `Müller & Söhne ${unique}` } });
  equal(made.status, 201);
  const { id, slug, ownerId } = made.body.data;
  deepEqual([slug, ownerId], [`muller-sohne-${unique}`, owner.userId]);
  const items = await itemsOf(`ORG#${id}`);
  const [event] = items.filter(({ sk }) => sk.startsWith('EVENT#'));
  const requestId = made.headers.get('x-request-id');
  deepEqual([event?.type, event?.requestId], ['organization.created', requestId]);
  const [entry] = await itemsOf(`AUDIT#${id}`);
  deepEqual([entry?.action, (entry!.actor as { id: string }).id], ['organization.created', owner.userId]);
  equal((entry!.context as { requestId: string }).requestId, requestId);
});

test('organization: the owner sees the documented fields', async () => {
  const { id, name, slug } = await newOrganization(owner, `Look at ${unique}`);
  const { body } = await call(organizations.current, { token, org: id });
  const { createdAt, updatedAt, ...rest } = body.data;
  match(createdAt, /^\d{4}-\d\d-\d\dT/);
  equal(createdAt, updatedAt);
  deepEqual(rest, {
    id,
    name,
    slug,
    awsAccountId: '123456789012',
    hasServiceAccount: false,
    owner: { id: owner.userId, email: owner.email, name: rest.owner.name },
    limits: rest.limits,
    settings: { timezone: 'UTC', defaultStorageId: null },
    statistics: { memberCount: 1, projectCount: 0, backupCount: 0, storageUsed: 0 },
    subscription: { plan: rest.subscription.plan, status: 'active', billingCycle: 'monthly' },
  });
  ok(rest.owner.name);
  deepEqual(rest.limits.schedules, { limit: 100, used: 0 });
});

test('organization: of two concurrent requests for one slug one succeeds, the other gets 409', async () => {
  const other = await signIn();
  const slug = `race-${unique}`;
  const results = await Promise.all(
    [token, other.accessToken, token].map((each) => call(organizations.create, { token: each, body: { name: 'Race', slug } })),
  );
  deepEqual(results.map(({ status }) => status).sort(), [201, 409, 409]);
  for (const { body } of results.filter(({ status }) => status === 409)) equal(body.error.code, 'SLUG_TAKEN');
  const { organizationId } = (await getItem({ pk: `SLUG#${slug}`, sk: 'SLUG' }))!;
  equal(organizationId, results.find(({ status }) => status === 201)?.body.data.id);
});

test('organization: concurrent requests with one name create organizations with different slugs', async () => {
  const results = await Promise.all(
    Array.from({ length: 4 }, () => call(organizations.create, { token, body: { name: `Same ${unique}` } })),
  );
  deepEqual(
    results.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  const slugs = results.map(({ body }) => body.data.slug);
  equal(new Set(slugs).size, 4);
  ok(slugs.every((slug) => slug.startsWith(`same-${unique}`)));
});

for (const [what, body, field] of [
  ['no name', {}, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of 101 characters', { name: 'a'.repeat(101) }, 'name'],
  ['a name with a line break', { name: 'a\nb' }, 'name'],
  ['a lone surrogate', '{"name":"a\\ud800"}', 'name'],
  ['a reserved slug', { name: 'A', slug: 'api' }, 'slug'],
  ['a slug in upper case', { name: 'A', slug: 'Acme' }, 'slug'],
  ['a slug of 300 characters', { name: 'A', slug: 'a'.repeat(300) }, 'slug'],
  ['a slug of other letters', { name: 'A', slug: 'ünïcode' }, 'slug'],
  ['a field of the record', { name: 'A', ownerId: 'usr_x' }, 'ownerId'],
] as const) {
  test(`organization: ${what} is refused by field`, async () => {
    const { status, body: answer } = await call(organizations.create, { token, body });
    deepEqual(
      { status, code: answer.error.code, field: answer.error.details.field },
      { status: 400, code: 'VALIDATION_ERROR', field },
    );
  });
}

test('organization: the name is returned as given, without invisible characters', async () => {
  const name = 'abc 👩\u200D💻 <b>"';
  const { id } = await newOrganization(owner, `\u202E${name}`);
  equal((await call(organizations.current, { token, org: id })).body.data.name, name);
});

test("organization: the list contains the caller's organizations, newest first, without deleted ones", async () => {
  const person = await signIn();
  const by = { token: person.accessToken };
  const made = [];
  for (const n of [1, 2, 3, 4, 5]) made.push(await newOrganization(person, `List ${n}`));
  const joined = await newOrganization(owner, 'Joined');
  await addMember(joined, 'viewer', person);
  const [gone] = made.splice(2, 1);
  equal((await call(organizations.remove, { ...by, org: gone!.id, body: { confirmName: 'List 3' } })).status, 200);
  const expected = [joined, ...made.reverse()].map(({ id }) => id);

  const all = await call(organizations.list, by);
  deepEqual(
    all.body.data.map(({ id }) => id),
    expected,
  );
  deepEqual(all.body.pagination, { nextCursor: null, hasMore: false });
  deepEqual(all.body.data.map(({ role, memberCount, projectCount }) => [role, memberCount, projectCount])[0], ['viewer', 2, 0]);

  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { limit: '2', ...(cursor && { cursor }) };
    const { body } = await call(organizations.list, { ...by, query });
    seen.push(...body.data.map(({ id }) => id));
    equal(body.pagination.hasMore, seen.length < expected.length);
    cursor = body.pagination.nextCursor;
  } while (cursor);
  deepEqual(seen, expected);
});

test('organization: a cursor of another user is refused', async () => {
  const other = await signIn();
  await newOrganization(other, 'A');
  await newOrganization(other, 'B');
  const { body } = await call(organizations.list, { token: other.accessToken, query: { limit: '1' } });
  const foreign = await call(organizations.list, { token, query: { cursor: body.pagination.nextCursor! } });
  deepEqual([foreign.status, foreign.body.error.details.field], [400, 'cursor']);
});

test('organization: an update changes only the given fields; an empty update leaves no event or audit entry', async () => {
  const { id } = await newOrganization(owner, 'Before');
  const put = (body: object) => call(organizations.update, { token, org: id, body });
  const renamed = await put({ name: 'After' });
  deepEqual(
    { status: renamed.status, name: renamed.body.data.name, timezone: renamed.body.data.settings.timezone },
    { status: 200, name: 'After', timezone: 'UTC' },
  );
  const moved = await put({ settings: { timezone: 'Europe/Berlin' } });
  deepEqual([moved.body.data.name, moved.body.data.settings], ['After', { timezone: 'Europe/Berlin', defaultStorageId: null }]);
  const nothing = await put({});
  equal(nothing.body.data.updatedAt, moved.body.data.updatedAt);
  const events = (await itemsOf(`ORG#${id}`)).filter(({ type }) => type === 'organization.updated');
  equal(events.length, 2);
  deepEqual((events[1]!.data as { organization: { settings: unknown } }).organization.settings, {
    timezone: 'Europe/Berlin',
    defaultStorageId: null,
  });
  const entries = (await itemsOf(`AUDIT#${id}`)).filter(({ action }) => action === 'organization.updated');
  deepEqual(
    entries.map(({ details }) => details),
    [{ name: 'After' }, { timezone: 'Europe/Berlin' }],
  );
});

for (const timezone of ['Mars/Base', '', '+02:00', 'x'.repeat(100), 7]) {
  test(`organization: the time zone ${JSON.stringify(timezone).slice(0, 20)} is refused`, async () => {
    const { id } = await newOrganization(owner);
    const { status, body } = await call(organizations.update, { token, org: id, body: { settings: { timezone } } });
    deepEqual([status, body.error.details.field], [400, 'settings.timezone']);
  });
}

test('organization: the default destination must belong to it', async () => {
  const [ours, theirs] = [await newOrganization(owner, 'Ours'), await newOrganization(undefined, 'Theirs')];
  const put = (defaultStorageId: unknown) =>
    call(organizations.update, { token, org: ours.id, body: { settings: { defaultStorageId } } });
  const destination = 'dst_01JWNVAV000000000000000000';
  await putItem({ pk: `ORG#${theirs.id}`, sk: `DESTINATION#${destination}` });
  const foreign = await put(destination);
  deepEqual([foreign.status, foreign.body.error.code], [404, 'STORAGE_NOT_FOUND']);
  await putItem({ pk: `ORG#${ours.id}`, sk: `DESTINATION#${destination}` });
  equal((await put(destination)).body.data.settings.defaultStorageId, destination);
  equal((await put(null)).body.data.settings.defaultStorageId, null);
  deepEqual((await put('../x')).body.error.details.field, 'settings.defaultStorageId');
});
