/** Ids found in log context: only well-formed ids pass, so no other caller-supplied text reaches the log this way. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { idMessage, idPrefixes, idsIn, isId } from '../../../shared/contract/ids.ts';

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

test('idsIn: finds ids by their prefix and names them by kind', () => {
  const [backup, project, restore] = [`bkp_${ulid}`, `prj_${ulid}`, `rst_${ulid}`];
  assert.deepEqual(idsIn({ id: backup, projectId: project, name: 'Nightly', size: 3, parts: [backup], error: null }), {
    backupId: backup,
    projectId: project,
  });
  assert.deepEqual(idsIn({ id: restore }), { restoreJobId: restore });
  for (const nothing of [undefined, null, 'text', 3, []]) assert.deepEqual(idsIn(nothing), {});
});

test('idsIn: among ids of one kind, the field with the name of the kind wins, otherwise the first', () => {
  const [one, two] = [`bkp_${ulid}`, `bkp_${ulid.replace('V', 'W')}`];
  assert.deepEqual(idsIn({ safetyBackupId: one, backupId: two }), { backupId: two });
  assert.deepEqual(idsIn({ backupId: two, safetyBackupId: one }), { backupId: two });
  assert.deepEqual(idsIn({ id: one, safetyBackupId: two }), { backupId: one });
});

test('idsIn: never returns text that is not an id', () => {
  const prefixes = Object.values(idPrefixes);
  const text = fc
    .tuple(fc.constantFrom(...prefixes, 'x'), fc.string(), fc.constantFrom('', ulid))
    .map(([a, b, c]) => `${a}_${b}${c}`);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), text), (value) => {
      for (const id of Object.values(idsIn(value)))
        assert.ok(
          (Object.keys(idPrefixes) as (keyof typeof idPrefixes)[]).some((kind) => isId(kind, id)),
          id,
        );
    }),
  );
});

for (const [kind, expected] of [
  ['organization', 'must be the id of an organization (org_…)'],
  ['storageDestination', 'must be the id of a storage destination (dst_…)'],
  ['serviceAccount', 'must be the id of a service account (sa_…)'],
  ['restore', 'must be the id of a restore job (rst_…)'],
  ['user', 'must be the id of a user (usr_…)'],
] as const)
  test(`idMessage: an id of kind ${kind} has its public name and prefix`, () => assert.equal(idMessage(kind), expected));
