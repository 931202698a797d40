/** Ids say what they name, so a log can name them; and nothing else that a caller wrote gets in that way. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { idPrefixes, idsIn, isId } from '../../../shared/contract/ids.ts';

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

test('ids are found by what they are, and called by their kind', () => {
  const [backup, project, restore] = [`bkp_${ulid}`, `prj_${ulid}`, `rst_${ulid}`];
  assert.deepEqual(idsIn({ id: backup, projectId: project, name: 'Nightly', size: 3, parts: [backup], error: null }), {
    backupId: backup,
    projectId: project,
  });
  assert.deepEqual(idsIn({ id: restore }), { restoreJobId: restore });
  for (const nothing of [undefined, null, 'text', 3, []]) assert.deepEqual(idsIn(nothing), {});
});

test('of several of a kind the field of that name counts, wherever it stands, else the first', () => {
  const [one, two] = [`bkp_${ulid}`, `bkp_${ulid.replace('V', 'W')}`];
  assert.deepEqual(idsIn({ safetyBackupId: one, backupId: two }), { backupId: two });
  assert.deepEqual(idsIn({ backupId: two, safetyBackupId: one }), { backupId: two });
  assert.deepEqual(idsIn({ id: one, safetyBackupId: two }), { backupId: one });
});

test('what is no id never comes through', () => {
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
