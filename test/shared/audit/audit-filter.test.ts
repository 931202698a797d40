import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { type Filter, matchesSearch, rangeOf } from '../../../shared/audit/audit-filter.ts';
import { idBounds, unsafeTenant } from '../../../shared/platform/index.ts';

const tenant = unsafeTenant('org_1', 'record');
const holds = (filter: Filter, moment: string): boolean => {
  const { from, to } = rangeOf(tenant, filter);
  const at = new Date(moment);
  const sk = `ENTRY#${idBounds('audit', at, at).first}`;
  return sk >= from! && sk <= to!;
};

for (const [filter, moment, expected] of [
  [{}, '1970-01-01T00:00:00Z', true],
  [{}, '9999-12-31T23:59:59Z', true],
  [{ from: '2030-01-02' }, '2030-01-02T00:00:00.000Z', true],
  [{ from: '2030-01-02' }, '2030-01-01T23:59:59.999Z', false],
  [{ to: '2030-01-02' }, '2030-01-02T23:59:59.999Z', true],
  [{ to: '2030-01-02' }, '2030-01-03T00:00:00.000Z', false],
  [{ to: '2030-01-02T00:00:00Z' }, '2030-01-02T00:00:00.000Z', true],
  [{ to: '2030-01-02T00:00:00Z' }, '2030-01-02T00:00:00.001Z', false],
  [{ from: '2030-01-02T00:00:00+02:00' }, '2030-01-01T22:00:00.000Z', true],
  [{ from: '2030-01-02T00:00:00+02:00' }, '2030-01-01T21:59:59.999Z', false],
  [{ from: '0001-01-01', to: '9999-12-31' }, '2030-01-01T00:00:00Z', true],
  [{ from: '2030-01-02', to: '2030-01-02' }, '2030-01-02T12:00:00Z', true],
] as const)
  test(`rangeOf: ${JSON.stringify(filter)} ${expected ? 'includes' : 'excludes'} ${moment}`, () =>
    equal(holds(filter, moment), expected));

test('spanOf: a range that ends before it begins is refused', () => {
  for (const filter of [
    { from: '2030-01-03', to: '2030-01-02' },
    { from: '2030-01-02T00:00:01Z', to: '2030-01-02T00:00:00Z' },
  ])
    throws(() => rangeOf(tenant, filter), {
      code: 'VALIDATION_ERROR',
      details: { field: 'from', reason: 'must not be after to' },
    });
});

test('rangeOf: only the given filters are part of the query', () => {
  deepEqual(rangeOf(tenant, { actorId: 'usr_1', resourceType: undefined }).where, { 'actor.id': 'usr_1' });
  deepEqual(rangeOf(tenant, { resourceId: 'bkp_1' }).where, { 'resource.id': 'bkp_1' });
  ok(rangeOf(tenant, {}).newestFirst);
});

test('rangeOf: the id of an entry is the whole range', () => {
  const { from, to } = rangeOf(tenant, { id: 'aud_1' });
  deepEqual([from, to], ['ENTRY#aud_1', 'ENTRY#aud_1']);
});

const entry = {
  id: 'aud_1',
  timestamp: '2030-01-01T00:00:00.000Z',
  action: 'backup.deleted',
  actor: { type: 'user', id: 'usr_1', email: 'Ada@Example.com' },
  resource: { type: 'backup', id: 'bkp_1' },
  organization: { id: 'org_1' },
  context: { ip: '203.0.113.7', userAgent: null, location: 'DE', requestId: 'r' },
  details: { projectId: 'prj_1', collections: [{ path: 'users "all"' }], documents: 42 },
} as const;

const names = new Map([
  ['prj_1', 'Shop'],
  ['prj_2', 'Bookshop'],
  ['usr_1', 'Ada Lovelace'],
]);

for (const [search, expected] of [
  ['', true],
  [undefined, true],
  ['ada@EXAMPLE deleted', true],
  ['  203.0.113  prj_1 ', true],
  ['"all" 42', true],
  ['ada restored', false],
  // Names of fields are part of every entry, and the organization is the reader's own.
  ['requestId', false],
  ['org_1', false],
  // As the console shows it: "Backup: deleted", "Backup of Shop", Ada Lovelace.
  ['backup: deleted', true],
  ['backup of shop', true],
  ['lovelace', true],
  ['bookshop', false],
] as const)
  test(`matchesSearch: ${JSON.stringify(search)} ${expected ? 'matches' : 'does not match'}`, () =>
    equal(matchesSearch(entry, { search, names }), expected));

test('matchesSearch: words of actions and actors that are stored otherwise', () => {
  const found = (more: object, search: string): boolean => matchesSearch({ ...entry, ...more }, { search });
  ok(found({ action: 'service_account.key_rotated' }, 'Service account: key rotated'));
  ok(found({ action: 'pitr.enabled' }, 'point in time'));
  ok(found({ actor: { type: 'system', id: 'retention', email: null } }, 'service (retention)'));
  ok(found({ resource: { type: 'organization', id: 'org_1' } }, 'this organization'));
});
