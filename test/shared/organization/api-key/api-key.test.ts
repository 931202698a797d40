import { deepEqual, equal, notEqual, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import {
  apiKeyData,
  createApiKey,
  grantorOf,
  readApiKey,
  removeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../../../shared/organization/api-key/api-key.ts';
import { holderOf, isKeyTokenOf, newKeyToken } from '../../../../shared/organization/api-key/key-token.ts';
import type { CallerContext } from '../../../../shared/organization/model/caller-context.ts';
import {
  type FingerprintRecord,
  lookup,
  type OrganizationRecord,
  organizationKey,
} from '../../../../shared/organization/model/record.ts';
import { commit, get, newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const aws = await scriptAws({});
afterAll(aws.stop);
const table = new InMemoryTable();
aws.play(table.script);

const now = new Date('2026-06-01T12:00:00.000Z');
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const [organizationId, userId] = [newId('organization'), newId('user')];
const tenant = unsafeTenant(organizationId, 'record');
const caller: CallerContext = {
  tenant,
  organization: { id: organizationId, name: 'Acme' } as unknown as OrganizationRecord,
  role: 'admin',
  actor: { type: 'user', id: userId, email: 'ann@example.com' },
};
table.put({ pk: `ORG#${organizationId}`, sk: 'META', id: organizationId });
table.put({ pk: `ORG#${organizationId}`, sk: `MEMBER#${userId}`, userId });

const input = {
  name: 'CI',
  role: 'member',
  permissions: ['backups:read', 'backups:read'],
  projectIds: null,
  allowedAddresses: null,
} as const;
const newKey = async (more: Partial<Parameters<typeof createApiKey>[1]> = {}) => {
  const made = createApiKey(caller, { ...input, ...more }, now);
  await commit(made.change.writes);
  return made;
};
const secretOf = async (id: string) => (await get(lookup.fingerprint(id))) as FingerprintRecord;
const isInvalid = (field: string) => (error: ApiError) => error.code === 'VALIDATION_ERROR' && error.details?.field === field;

test('createApiKey: it expires after 90 days by default, within a year, and stores no text of the key', async () => {
  const { key, apiKey } = await newKey();
  deepEqual([key.expiresAt, key.permissions, holderOf(apiKey)], [later(90).toISOString(), ['backups:read'], key.id]);
  ok(!JSON.stringify([...table.items]).includes(apiKey.slice(-43)));
  ok(isKeyTokenOf(apiKey, await secretOf(key.id), now) && !isKeyTokenOf(newKeyToken(key.id), await secretOf(key.id), now));
  equal((await newKey({ expiresAt: later(365).toISOString() })).key.expiresAt, later(365).toISOString());
  for (const expiresAt of [now, later(-1), later(365.01)])
    throws(() => createApiKey(caller, { ...input, expiresAt: expiresAt.toISOString() }, now), isInvalid('expiresAt'));
});

test('apiKeyData: says whether the key works, is about to expire, or has expired', async () => {
  const { key } = await newKey();
  const notes = { lastUses: new Map(), roles: new Map() };
  const statusAt = (days: number) => apiKeyData(key, notes, later(days)).status;
  deepEqual([0, 75.9, 76, 89.9, 90].map(statusAt), ['active', 'active', 'expiring', 'expiring', 'expired']);
  const { projectIds, allowedAddresses, createdBy } = apiKeyData(key, notes, now);
  const gone = { ...caller.actor, role: null };
  deepEqual({ projectIds, allowedAddresses, createdBy }, { projectIds: null, allowedAddresses: null, createdBy: gone });
});

test('updateApiKey: only the given fields change, null removes a limit, and nothing given writes nothing', async () => {
  const { key } = await newKey({ projectIds: ['prj_1'], allowedAddresses: ['192.0.2.0/24'] });
  deepEqual(updateApiKey(caller, { key, input: {}, now }).change, { writes: [], audit: [] });
  const { change } = updateApiKey(caller, { key, input: { role: 'viewer', projectIds: null }, now: later(1) });
  await commit(change.writes);
  const changed = await readApiKey(tenant, key.id);
  deepEqual([changed.role, changed.projectIds, changed.allowedAddresses], ['viewer', undefined, ['192.0.2.0/24']]);
  equal(JSON.stringify(change.audit[0]?.details).includes('"previous":{"name":"CI","role":"member"'), true);
  const extended = updateApiKey(caller, { key: changed, input: { expiresAt: later(100).toISOString() }, now: later(2) });
  deepEqual([extended.key.expiresAt, extended.key.expirySetAt], [later(100).toISOString(), later(2).toISOString()]);
});

test('rotateApiKey: both texts work during the overlap, and the new one lives as long as the old one was meant to', async () => {
  const { key, apiKey } = await newKey({ expiresAt: later(30).toISOString() });
  const rotated = await rotateApiKey(caller, { key, overlapHours: 24, expiresAt: undefined, now: later(10) });
  await commit(rotated.change.writes);
  const secret = await secretOf(key.id);
  notEqual(rotated.apiKey, apiKey);
  deepEqual([rotated.key.expiresAt, rotated.key.previousKeyExpiresAt], [later(40).toISOString(), later(11).toISOString()]);
  for (const at of [later(10), later(10.999)]) ok(isKeyTokenOf(apiKey, secret, at) && isKeyTokenOf(rotated.apiKey, secret, at));
  deepEqual([isKeyTokenOf(apiKey, secret, later(11)), isKeyTokenOf(rotated.apiKey, secret, later(11))], [false, true]);
});

test('rotateApiKey: the old text ends at once without overlap, at its own expiry, and stays ended once expired', async () => {
  for (const [overlapHours, days, until] of [
    [0, 10, undefined],
    [168, 29, later(30).toISOString()],
    [168, 31, undefined],
  ] as const) {
    const { key, apiKey } = await newKey({ expiresAt: later(30).toISOString() });
    const rotated = await rotateApiKey(caller, { key, overlapHours, expiresAt: undefined, now: later(days) });
    await commit(rotated.change.writes);
    equal(rotated.key.previousKeyExpiresAt, until);
    equal(isKeyTokenOf(apiKey, await secretOf(key.id), later(days)), until !== undefined);
  }
});

test('removeApiKey: the key, its fingerprint and its last use are gone, and it is not found any more', async () => {
  const { key } = await newKey();
  await commit(removeApiKey(caller, key).writes);
  equal(await get(lookup.fingerprint(key.id)), undefined);
  equal(await get(organizationKey.apiKey(tenant, key.id)), undefined);
  for (const id of [key.id, 'x']) await rejects(readApiKey(tenant, id), (error: ApiError) => error.code === 'API_KEY_NOT_FOUND');
});

test('grantorOf: who makes, rotates or widens a key answers for it; who narrows or renames it does not', async () => {
  const { key } = await newKey({ role: 'member', projectIds: ['prj_1', 'prj_2'], allowedAddresses: ['192.0.2.0/24'] });
  const other = { ...caller, actor: { type: 'user', id: newId('user'), email: 'bob@example.com' } } as typeof caller;
  const grantorAfter = (input: object) => grantorOf(updateApiKey(other, { key, input, now: later(1) }).key).id;
  const narrower = [{ name: 'New' }, { role: 'viewer' }, { projectIds: ['prj_2'] }, { expiresAt: later(2).toISOString() }];
  const wider = [
    { role: 'admin' },
    { permissions: ['backups:read', 'backups:write'] },
    { projectIds: null },
    { projectIds: ['prj_1', 'prj_3'] },
    { allowedAddresses: null },
    { expiresAt: later(200).toISOString() },
  ];
  for (const input of narrower) equal(grantorAfter(input), caller.actor.id, JSON.stringify(input));
  for (const input of wider) equal(grantorAfter(input), other.actor.id, JSON.stringify(input));
  const rotated = await rotateApiKey(other, { key, overlapHours: 0, expiresAt: undefined, now: later(1) });
  deepEqual([grantorOf(rotated.key).id, rotated.key.createdBy.id], [other.actor.id, caller.actor.id]);
  const { grantedBy: _, ...older } = key;
  equal(grantorOf(older).id, caller.actor.id, 'records from before it was kept');
});
