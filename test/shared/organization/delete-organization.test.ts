import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import type { ApiError } from '../../../shared/contract/errors.ts';
import { deleteOrganization, dueKey, recoverOrganization } from '../../../shared/organization/delete-organization.ts';
import type { CallerContext } from '../../../shared/organization/model/caller-context.ts';
import type { MemberRecord, OrganizationRecord } from '../../../shared/organization/model/record.ts';
import { unsafeTenant, type Write } from '../../../shared/platform/index.ts';

const now = new Date('2025-06-01T12:00:00.000Z');
const id = 'org_01JWNVAV000000000000000000';
const ownerId = 'usr_01JWNVAV000000000000000001';
const organization = {
  pk: `ORG#${id}`,
  sk: 'META',
  id,
  name: 'Acme é',
  ownerId,
  timezone: 'UTC',
  defaultStorageId: null,
} as unknown as OrganizationRecord;
const acting: CallerContext = {
  tenant: unsafeTenant(id, 'record'),
  organization,
  role: 'owner',
  actor: { type: 'user', id: ownerId, email: 'ann@example.com' },
};
const refused = (code: string) => (error: unknown) => (error as ApiError).code === code;
const has = (writes: readonly Write[], prefix: string) =>
  writes.some((write) => 'put' in write && `${write.put.pk}|${write.put.sk}`.includes(prefix));

const tasks = (writes: readonly Write[]): readonly string[] =>
  writes.flatMap((write) =>
    'put' in write && write.put.sk.startsWith('TASK#') ? [JSON.parse(String(write.put.message)).task.kind as string] : [],
  );

// NFD 'é', another case, white space around, a Cyrillic А, nothing.
for (const confirmName of ['Acme e\u0301', 'acme é', ' Acme é', 'Acme é ', '\u0410cme é', '']) {
  test(`the name ${JSON.stringify(confirmName)} does not confirm`, () =>
    throws(() => deleteOrganization(acting, { confirmName }, now), refused('VALIDATION_ERROR')));
}

test('a soft deletion can be undone for 30 days, stops the schedules and asks for no purge', () => {
  const { data, change } = deleteOrganization(acting, { confirmName: 'Acme é' }, now);
  equal(data.deletionType, 'soft');
  equal(data.recoveryDeadline, '2025-07-01T12:00:00.000Z');
  ok(has(change.writes, `DUE#PURGE|2025-07-01T12:00:00.000Z#${id}`));
  deepEqual(tasks(change.writes), ['sync-schedules']);
});

test('a forced deletion asks for its purge in the same transaction, and the sweep knows of it too', () => {
  const { data, change } = deleteOrganization(acting, { confirmName: 'Acme é', force: true }, now);
  equal(data.deletionType, 'permanent');
  equal(data.recoveryDeadline, null);
  deepEqual(tasks(change.writes), ['sync-schedules', 'purge-organization']);
  ok(has(change.writes, `DUE#PURGE|2025-06-01T12:00:00.000Z#${id}`));
});

test('the sweep finds an organization where its deletion put it', () => {
  const deletedAt = '2025-06-01T12:00:00.000Z';
  equal(dueKey({ ...organization, deletedAt }).sk, `${deletedAt}#${id}`);
  equal(
    dueKey({ ...organization, deletedAt, recoveryDeadline: '2025-07-01T12:00:00.000Z' }).sk,
    `2025-07-01T12:00:00.000Z#${id}`,
  );
});

const deleted = { ...organization, deletedAt: '2025-06-01T12:00:00.000Z', recoveryDeadline: '2025-07-01T12:00:00.000Z' };
const { recoveryDeadline: _, ...forGood } = deleted;
const member = (role: string) => ({ role }) as unknown as MemberRecord;
const stranger = 'usr_01JWNVAV000000000000000009';

test('the owner recovers it until the deadline, and its schedules go on', () => {
  const { organization: recovered, change } = recoverOrganization(
    ownerId,
    deleted,
    member('owner'),
    new Date('2025-07-01T11:59:59.999Z'),
  );
  ok(!('deletedAt' in recovered) && !('recoveryDeadline' in recovered));
  deepEqual(tasks(change.writes), ['sync-schedules']);
});

for (const [what, userId, record, row, at, code] of [
  ['at the deadline', ownerId, deleted, member('owner'), new Date('2025-07-01T12:00:00.000Z'), 'ORGANIZATION_NOT_FOUND'],
  ['deleted for good', ownerId, forGood, member('owner'), now, 'ORGANIZATION_NOT_FOUND'],
  ['unknown', ownerId, undefined, undefined, now, 'ORGANIZATION_NOT_FOUND'],
  ['by a stranger', stranger, deleted, undefined, now, 'ORGANIZATION_NOT_FOUND'],
  ['by an admin', stranger, deleted, member('admin'), now, 'PERMISSION_DENIED'],
  ['not deleted', ownerId, organization, member('owner'), now, 'CONFLICT'],
] as const) {
  test(`recovering what is ${what}: ${code}`, () => throws(() => recoverOrganization(userId, record, row, at), refused(code)));
}
