import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import type { CallerContext } from '../../../shared/organization/model/caller-context.ts';
import type { OrganizationRecord } from '../../../shared/organization/model/record.ts';
import { updateSettings } from '../../../shared/organization/update-settings.ts';
import { unsafeTenant } from '../../../shared/platform/index.ts';

const id = 'org_01JWNVAV000000000000000000';
const storage = 'dst_01JWNVAV000000000000000000';
const organization = {
  id,
  name: 'Acme',
  timezone: 'Europe/Berlin',
  defaultStorageId: storage,
  updatedAt: '2025-05-01T00:00:00.000Z',
} as unknown as OrganizationRecord;
const acting: CallerContext = {
  tenant: unsafeTenant(id, 'record'),
  organization,
  role: 'admin',
  actor: { type: 'user', id: 'usr_01JWNVAV000000000000000001', email: 'ann@example.com' },
};
const now = new Date('2025-06-01T12:00:00.000Z');
const changed = (body: unknown) => updateSettings(acting, organizations.update.body.parse(body), now);

for (const body of [{}, { settings: {} }]) {
  test(`updateSettings: ${JSON.stringify(body)} writes nothing`, () => {
    const { organization: after, change } = changed(body);
    deepEqual(change, { writes: [], audit: [] });
    equal(after, organization);
  });
}

test('updateSettings: only the given fields change', () => {
  const { organization: after } = changed({ settings: { timezone: 'Asia/Tokyo' } });
  deepEqual(
    [after.name, after.timezone, after.defaultStorageId, after.updatedAt],
    ['Acme', 'Asia/Tokyo', storage, now.toISOString()],
  );
});

test('updateSettings: null removes the default destination without a check', () => {
  const { organization: after, change } = changed({ settings: { defaultStorageId: null } });
  equal(after.defaultStorageId, null);
  ok(!change.writes.some((write) => 'check' in write));
});

test('updateSettings: a default destination must exist in the same organization when it is set', async () => {
  const { change } = changed({ settings: { defaultStorageId: storage } });
  const check = change.writes.find((write) => 'check' in write);
  deepEqual(check && 'check' in check && check.check, { pk: `ORG#${id}`, sk: `DESTINATION#${storage}` });
  equal((await check?.onConditionFailed?.())?.code, 'STORAGE_NOT_FOUND');
});
