/** Ownership: transferred, with exactly one owner at any time. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { members } from '../../../shared/contract/endpoints/members.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { call } from '../../harness/stage/client.ts';
import { addMember, newOrganization } from '../../harness/stage/organization.ts';
import type { Person } from '../../harness/stage/person.ts';
import { getItem, itemsOf } from '../../harness/stage/table.ts';

const give = (
  org: string,
  { from, to, role = 'owner' }: { readonly from: Person; readonly to: Person; readonly role?: string | undefined },
) => call(members.update, { token: from.accessToken, org, params: { userId: to.userId }, body: { role } });

const ownersOf = async (org: string): Promise<readonly string[]> => {
  const rows = await itemsOf(`ORG#${org}`);
  const owners = rows
    .filter(({ sk, role }) => sk.startsWith('MEMBER#') && role === 'owner')
    .map(({ userId }) => userId as string);
  equal((await getItem({ pk: `ORG#${org}`, sk: 'META' }))?.ownerId, owners[0]);
  return owners;
};

test('ownership: the owner transfers it to a member and becomes an admin', async () => {
  const organization = await newOrganization();
  const { id: org, owner } = organization;
  const heir = await addMember(organization, 'member');
  const answer = await give(org, { from: owner, to: heir });
  deepEqual(
    { status: answer.status, userId: answer.body.data.userId, role: answer.body.data.role },
    { status: 200, userId: heir.userId, role: 'owner' },
  );
  deepEqual(await ownersOf(org), [heir.userId]);
  const { body } = await call(organizations.current, { token: owner.accessToken, org });
  deepEqual([body.data.owner.id, body.data.owner.email], [heir.userId, heir.email]);

  const roles = (await call(members.list, { token: heir.accessToken, org })).body.data.map(({ userId, role }) => [userId, role]);
  deepEqual(Object.fromEntries(roles), { [heir.userId]: 'owner', [owner.userId]: 'admin' });
  const events = (await itemsOf(`ORG#${org}`)).filter(({ type }) => type === 'member.role_changed');
  deepEqual(
    events
      .map(({ data }) => (data as { member: { userId: string; previousRole: string; role: string } }).member)
      .map(({ userId, previousRole, role }) => [userId, previousRole, role]),
    [
      [heir.userId, 'member', 'owner'],
      [owner.userId, 'owner', 'admin'],
    ],
  );
  const entries = (await itemsOf(`AUDIT#${org}`)).filter(({ action }) => action === 'member.role_changed');
  deepEqual(
    entries.map(({ resource }) => (resource as { id: string }).id),
    [heir.userId, owner.userId],
  );
  // The former owner loses the owner's permissions at once.
  const refused = await call(organizations.remove, { token: owner.accessToken, org, body: { confirmName: organization.name } });
  deepEqual(refused.body.error.details, { requiredRole: 'owner', currentRole: 'admin' });
  equal((await give(org, { from: heir, to: owner, role: 'viewer' })).status, 200);
});

test('ownership: of two concurrent transfers exactly one succeeds, and there is one owner', async () => {
  for (let round = 0; round < 3; round++) {
    const organization = await newOrganization();
    const { id: org, owner } = organization;
    const [one, two] = [await addMember(organization, 'admin'), await addMember(organization, 'member')];
    const results = await Promise.all([give(org, { from: owner, to: one }), give(org, { from: owner, to: two })]);
    const won = results.findIndex(({ status }) => status === 200);
    const lost = results[1 - won]!;
    equal(results.filter(({ status }) => status === 200).length, 1);
    // Refused at commit, or earlier because the caller is already an admin.
    ok(lost.status === 409 ? lost.body.error.code === 'CONFLICT' : lost.body.error.code === 'PERMISSION_DENIED', lost.text);
    deepEqual(await ownersOf(org), [[one, two][won]!.userId]);
  }
});

test('ownership: a member removed during a transfer to them is either removed or owner, never both', async () => {
  for (let round = 0; round < 3; round++) {
    const organization = await newOrganization();
    const { id: org, owner } = organization;
    const admin = await addMember(organization, 'admin');
    const heir = await addMember(organization, 'member');
    const removal = call(members.remove, { token: admin.accessToken, org, params: { userId: heir.userId } });
    const results = await Promise.all([give(org, { from: owner, to: heir }), removal]);
    equal(results.filter(({ status }) => status === 200).length, 1, results.map(({ text }) => text).join('\n'));
    equal((await ownersOf(org)).length, 1);
  }
});
