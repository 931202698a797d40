import { deepEqual, equal, notEqual, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import { isKeyTokenOf } from '../../../../shared/organization/api-key/key-token.ts';
import type { CallerContext } from '../../../../shared/organization/model/caller-context.ts';
import type { FingerprintRecord, OrganizationRecord } from '../../../../shared/organization/model/record.ts';
import { rotateAccountKey, takeOverServiceAccount } from '../../../../shared/organization/service-account/rotate-account-key.ts';
import { createServiceAccount, updateServiceAccount } from '../../../../shared/organization/service-account/service-account.ts';
import { unsafeTenant, type Write } from '../../../../shared/platform/index.ts';

const now = new Date('2025-06-01T12:00:00.000Z');
const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const organizationId = 'org_01JWNVAV000000000000000000';
const acting = (id: string): CallerContext => ({
  tenant: unsafeTenant(organizationId, 'record'),
  organization: { id: organizationId, name: 'Acme' } as unknown as OrganizationRecord,
  role: 'admin',
  actor: { type: 'user', id, email: 'ann@example.com' },
});
const [ann, bob] = ['usr_01JWNVAV000000000000000001', 'usr_01JWNVAV000000000000000002'] as const;
const created = createServiceAccount(acting(ann), { name: 'CI', permissions: ['backups:read'] }, now);
const keyItem = (writes: readonly Write[]) =>
  writes.flatMap((write) => ('put' in write && write.put.pk.startsWith('APIKEY#') ? [write.put as FingerprintRecord] : []))[0]!;
const key = keyItem(created.change.writes);
/** The key item after an update. */
const applied = (item: FingerprintRecord, writes: readonly Write[]): FingerprintRecord => {
  const write = writes.find((one) => 'update' in one && one.update.pk.startsWith('APIKEY#'));
  const { ':fingerprint': fingerprint, ':previous': previous } = write?.values ?? {};
  const { previous: _, endedAt: _endedAt, ...kept } = item;
  return { ...kept, fingerprint, ...(previous !== undefined && { previous }) } as FingerprintRecord;
};

test('rotateAccountKey: both keys work until the overlap ends, then only the new one', () => {
  const { apiKey, account, change } = rotateAccountKey(acting(bob), {
    found: { account: created.account, key },
    overlapHours: 24,
    now,
  });
  const rotated = applied(key, change.writes);
  notEqual(apiKey, created.apiKey);
  equal(account.previousKeyExpiresAt, later(24).toISOString());
  for (const at of [now, later(23.999)]) ok(isKeyTokenOf(created.apiKey, rotated, at) && isKeyTokenOf(apiKey, rotated, at));
  deepEqual([isKeyTokenOf(created.apiKey, rotated, later(24)), isKeyTokenOf(apiKey, rotated, later(24))], [false, true]);
  equal(account.createdBy, bob);
  deepEqual(change.audit[0]?.details, { previousCreatedBy: ann, previousKeyExpiresAt: later(24).toISOString() });
});

test('rotateAccountKey: without overlap, and for a key that has ended, the old key is refused at once', () => {
  const ended = { account: { ...created.account, endedAt: now.toISOString() }, key: { ...key, endedAt: now.toISOString() } };
  for (const [found, hours] of [
    [{ account: created.account, key }, 0],
    [ended, 24],
  ] as const) {
    const { apiKey, change } = rotateAccountKey(acting(bob), { found, overlapHours: hours, now });
    const rotated = applied(key, change.writes);
    deepEqual([isKeyTokenOf(created.apiKey, rotated, now), isKeyTokenOf(apiKey, rotated, now)], [false, true]);
  }
});

test('rotateAccountKey: a second rotation within the overlap ends the oldest key', () => {
  const first = rotateAccountKey(acting(bob), { found: { account: created.account, key }, overlapHours: 24, now });
  const once = applied(key, first.change.writes);
  const second = rotateAccountKey(acting(bob), { found: { account: first.account, key: once }, overlapHours: 24, now: later(1) });
  const twice = applied(once, second.change.writes);
  deepEqual(
    [created.apiKey, first.apiKey, second.apiKey].map((one) => isKeyTokenOf(one, twice, later(2))),
    [false, true, true],
  );
});

test('updateServiceAccount: permissions change in the account and its key; an empty input writes nothing', () => {
  const { account, change } = updateServiceAccount(acting(bob), created.account, {
    permissions: ['storage:read', 'storage:read'],
  });
  deepEqual(account.permissions, ['storage:read']);
  deepEqual(
    change.writes.map(({ values }) => values?.[':permissions']),
    [['storage:read'], ['storage:read']],
  );
  deepEqual(updateServiceAccount(acting(bob), created.account, {}).change, { writes: [], audit: [] });
});

test('takeOverServiceAccount: the caller replaces the maker, unless the key has ended', () => {
  const { account, change } = takeOverServiceAccount(acting(bob), created.account);
  equal(account.createdBy, bob);
  deepEqual(change.audit[0]?.details, { previousCreatedBy: ann });
  throws(
    () => takeOverServiceAccount(acting(bob), { ...created.account, endedAt: now.toISOString() }),
    (error: ApiError) => error.code === 'CONFLICT',
  );
});
