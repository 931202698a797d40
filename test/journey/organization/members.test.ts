/** Members: listed, changed and removed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import { changeAtProvider, type Person, signIn } from '../../harness/stage/person.ts';
import { getItem, itemsOf } from '../../harness/stage/table.ts';

const organization = await newOrganization();
const { owner, id: org } = organization;
const by = (person: Person) => ({ token: person.accessToken, org });
const put = (person: Person, userId: string, role: string) =>
  call(members.update, { ...by(person), params: { userId }, body: { role } });
const remove = (person: Person, userId: string) => call(members.remove, { ...by(person), params: { userId } });
const eventsOf = async (type: string) => (await itemsOf(`ORG#${org}`)).filter((item) => item.type === type);

// Signs in first but joins last: the list is sorted by join date.
const early = await signIn();
const admin = await addMember(organization, 'admin');
const member = await addMember(organization, 'member');
const viewer = await addMember(organization, 'viewer', early);

test('members: the list is sorted by join date, newest first, page by page', async () => {
  const expected = [viewer, member, admin, owner].map(({ userId }) => userId);
  const all = await call(members.list, by(admin));
  deepEqual(
    all.body.data.map(({ userId }) => userId),
    expected,
  );
  deepEqual(
    all.body.data.map(({ role, email, status }) => [role, email, status]),
    [
      ['viewer', viewer.email, 'active'],
      ['member', member.email, 'active'],
      ['admin', admin.email, 'active'],
      ['owner', owner.email, 'active'],
    ],
  );
  ok(all.body.data.find(({ userId }) => userId === owner.userId)?.lastActiveAt);
  const first = await call(members.list, { ...by(admin), query: { limit: '2' } });
  const second = await call(members.list, { ...by(admin), query: { limit: '2', cursor: first.body.pagination.nextCursor! } });
  deepEqual(
    [...first.body.data, ...second.body.data].map(({ userId }) => userId),
    expected,
  );
  deepEqual(second.body.pagination, { nextCursor: null, hasMore: false });
});

test("members: name and picture come from the identity provider's last sign-in", async () => {
  await changeAtProvider(member.email, { name: 'Nina New', picture: 'https://pictures.example.com/n.png' });
  await signIn(member.email);
  const { body } = await call(members.list, by(owner));
  const { name, picture } = body.data.find(({ userId }) => userId === member.userId)!;
  deepEqual([name, picture], ['Nina New', 'https://pictures.example.com/n.png']);
});

test('members: an admin can change members and viewers, and can appoint admins', async () => {
  const person = await addMember(organization, 'viewer');
  const answer = await put(admin, person.userId, 'member');
  deepEqual(
    { status: answer.status, userId: answer.body.data.userId, role: answer.body.data.role },
    { status: 200, userId: person.userId, role: 'member' },
  );
  equal((await put(admin, person.userId, 'admin')).status, 200);
  const refused = await put(admin, person.userId, 'member');
  deepEqual(
    { status: refused.status, code: refused.body.error.code, details: refused.body.error.details },
    { status: 403, code: 'PERMISSION_DENIED', details: { requiredRole: 'owner', currentRole: 'admin' } },
  );
  const reported = (await eventsOf('member.role_changed')).map(({ data }) => (data as { member: Record<string, string> }).member);
  deepEqual(
    reported.filter(({ userId }) => userId === person.userId).map(({ previousRole, role }) => [previousRole, role]),
    [
      ['viewer', 'member'],
      ['member', 'admin'],
    ],
  );
});

test('members: no role can raise itself', async () => {
  equal((await put(admin, admin.userId, 'owner')).body.error.code, 'PERMISSION_DENIED');
  deepEqual((await put(member, member.userId, 'admin')).body.error.details, { requiredRole: 'admin', currentRole: 'member' });
  for (const role of ['OWNER', 'superadmin', '', null]) {
    const { status, body } = await put(owner, viewer.userId, role as string);
    deepEqual(
      { status, field: body.error.details.field, allowedValues: body.error.details.allowedValues },
      { status: 400, field: 'role', allowedValues: ['viewer', 'member', 'admin', 'owner'] },
    );
  }
});

test('members: the owner can be neither removed nor demoted, also not by themselves', async () => {
  for (const person of [admin, owner]) {
    for (const answer of [await remove(person, owner.userId), await put(person, owner.userId, 'admin')]) {
      deepEqual([answer.status, answer.body.error.code], [409, 'CANNOT_REMOVE_OWNER']);
    }
  }
  equal((await put(owner, owner.userId, 'owner')).status, 200);
});

test('members: an unknown user is not found', async () => {
  for (const userId of ['usr_01JWNVAV000000000000000000', 'nonsense', 'META']) {
    for (const answer of [await put(owner, userId, 'viewer'), await remove(owner, userId)]) {
      deepEqual([answer.status, answer.body.error.code], [404, 'MEMBER_NOT_FOUND']);
    }
  }
});

test('members: a removed member loses access at once and can be invited again', async () => {
  const person = await addMember(organization, 'member');
  const before = (await call(organizations.current, by(owner))).body.data.statistics.memberCount;
  const answer = await remove(admin, person.userId);
  deepEqual([answer.status, Object.keys(answer.body)], [200, ['success', 'message']]);
  const out = await call(organizations.current, by(person));
  deepEqual([out.status, out.body.error.code], [403, 'FORBIDDEN']);
  deepEqual((await call(organizations.list, { token: person.accessToken })).body.data, []);
  equal(await getItem({ pk: `USER#${person.userId}`, sk: `ORG#${org}` }), undefined);
  equal((await call(organizations.current, by(owner))).body.data.statistics.memberCount, before - 1);
  equal(
    (await call(members.list, by(owner))).body.data.some(({ userId }) => userId === person.userId),
    false,
  );
  equal((await remove(admin, person.userId)).body.error.code, 'MEMBER_NOT_FOUND');
  const left = (await eventsOf('member.left')).at(-1)?.data as { member: { userId: string } };
  equal(left.member.userId, person.userId);
  const entries = (await itemsOf(`AUDIT#${org}`)).filter(({ action }) => action === 'member.removed');
  deepEqual(entries.at(-1)?.resource, { type: 'member', id: person.userId });
  await addMember(organization, 'viewer', person);
  equal((await call(organizations.current, by(person))).status, 200);
});

test('members: of two concurrent removals one succeeds, and the member count stays correct', async () => {
  const person = await addMember(organization, 'viewer');
  const results = await Promise.all([remove(admin, person.userId), remove(owner, person.userId)]);
  equal(results.filter(({ status }) => status === 200).length, 1);
  ok(results.every(({ status }) => [200, 404, 409].includes(status)));
  const { memberCount } = (await call(organizations.current, by(owner))).body.data.statistics;
  equal(memberCount, (await itemsOf(`ORG#${org}`)).filter(({ sk }) => sk.startsWith('MEMBER#')).length);
});
