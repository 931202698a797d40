import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import type { ApiError } from '../../../shared/contract/errors.ts';
import type { CallerContext } from '../../../shared/organization/model/caller-context.ts';
import type { MemberRecord, OrganizationRecord } from '../../../shared/organization/model/record.ts';
import { deleteOrganization, dueKey, recoverOrganization } from '../../../shared/organization-deletion/delete-organization.ts';
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

// NFD 'é', other case, leading and trailing white space, a Cyrillic А, empty.
for (const confirmName of ['Acme e\u0301', 'acme é', ' Acme é', 'Acme é ', '\u0410cme é', '']) {
  test(`deleteOrganization: the confirmation ${JSON.stringify(confirmName)} is rejected`, () =>
    throws(() => deleteOrganization(acting, { confirmName }, now), refused('VALIDATION_ERROR')));
}

test('deleteOrganization: a soft deletion is recoverable for 30 days, stops the schedules and notifies the owner', () => {
  const { data, change } = deleteOrganization(acting, { confirmName: 'Acme é' }, now);
  equal(data.deletionType, 'soft');
  equal(data.recoveryDeadline, '2025-07-01T12:00:00.000Z');
  ok(has(change.writes, `DUE#PURGE|2025-07-01T12:00:00.000Z#${id}`));
  deepEqual(tasks(change.writes), ['sync-schedules', 'notify-organization-deleted']);
});

test('deleteOrganization: a forced deletion enqueues the purge in the same transaction and is found by the sweep', () => {
  const { data, change } = deleteOrganization(acting, { confirmName: 'Acme é', force: true }, now);
  equal(data.deletionType, 'permanent');
  equal(data.recoveryDeadline, null);
  deepEqual(tasks(change.writes), ['sync-schedules', 'purge-organization']);
  ok(has(change.writes, `DUE#PURGE|2025-06-01T12:00:00.000Z#${id}`));
});

test('dueKey: the key of the sweep is the one that the deletion wrote', () => {
  const deletedAt = '2025-06-01T12:00:00.000Z';
  equal(dueKey({ ...organization, deletedAt }).sk, `${deletedAt}#${id}`);
  equal(
    dueKey({ ...organization, deletedAt, recoveryDeadline: '2025-07-01T12:00:00.000Z' }).sk,
    `2025-07-01T12:00:00.000Z#${id}`,
  );
});

const deleted = { ...organization, deletedAt: '2025-06-01T12:00:00.000Z', recoveryDeadline: '2025-07-01T12:00:00.000Z' };
const { recoveryDeadline: _, ...permanentlyDeleted } = deleted;
const member = (role: string) => ({ role }) as unknown as MemberRecord;
const stranger = 'usr_01JWNVAV000000000000000009';

test('recoverOrganization: the owner recovers the organization until the deadline, and its schedules resume', () => {
  const { organization: recovered, change } = recoverOrganization(ownerId, {
    organization: deleted,
    member: member('owner'),
    now: new Date('2025-07-01T11:59:59.999Z'),
  });
  ok(!('deletedAt' in recovered) && !('recoveryDeadline' in recovered));
  deepEqual(tasks(change.writes), ['sync-schedules']);
});

for (const [what, userId, record, row, at, code] of [
  ['at the deadline', ownerId, deleted, member('owner'), new Date('2025-07-01T12:00:00.000Z'), 'ORGANIZATION_NOT_FOUND'],
  ['permanently deleted', ownerId, permanentlyDeleted, member('owner'), now, 'ORGANIZATION_NOT_FOUND'],
  ['unknown', ownerId, undefined, undefined, now, 'ORGANIZATION_NOT_FOUND'],
  ['by a stranger', stranger, deleted, undefined, now, 'ORGANIZATION_NOT_FOUND'],
  ['by an admin', stranger, deleted, member('admin'), now, 'PERMISSION_DENIED'],
  ['not deleted', ownerId, organization, member('owner'), now, 'CONFLICT'],
] as const) {
  test(`recoverOrganization: ${what} is ${code}`, () =>
    throws(() => recoverOrganization(userId, { organization: record, member: row, now: at }), refused(code)));
}
