/** The result of a restore for every state of a target document and every merge mode. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import type { MergeMode } from '../../../../shared/contract/models/restore.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

const integer = (value: number) => ({ integerValue: BigInt(value) });
const text = (stringValue: string) => ({ stringValue });
const map = (fields: Fields): Fields[string] => ({
  mapValue: { fields: new Map(Object.entries(fields).map(([name, value]) => [name, proto.Value.encode(value)])) },
});
const list = (...values: Fields[string][]): Fields[string] => ({
  arrayValue: { values: values.map((one) => proto.Value.encode(one)) },
});

const archived: Fields = {
  count: integer(1),
  name: text('one'),
  nested: map({ deep: map({ x: integer(1) }), y: integer(2) }),
  'odd.name `with\\': text('escaped'),
  tags: list(text('a'), map({ in: integer(1) })),
};
const { nested: _nested, ...withoutMap } = archived;

/** The document in the target before, and after a merge into it. */
const states: Readonly<Record<string, { before: Fields | undefined; merged: Fields }>> = {
  absent: { before: undefined, merged: archived },
  identical: { before: archived, merged: archived },
  different: { before: { ...archived, count: integer(7), name: text('two') }, merged: archived },
  'extra fields': { before: { ...archived, extra: integer(9) }, merged: { ...archived, extra: integer(9) } },
  'nested map': {
    before: { ...archived, nested: map({ deep: map({ w: integer(3), x: integer(5) }), z: integer(4) }) },
    merged: { ...archived, nested: map({ deep: map({ w: integer(3), x: integer(1) }), z: integer(4), y: integer(2) }) },
  },
  array: { before: { ...archived, tags: list(text('b')) }, merged: archived },
  'type changed': { before: { ...withoutMap, count: text('1'), nested: text('no map') }, merged: archived },
};
const pathOf = (state: string): string => `documents/${state}`;

const setup = async () => {
  t.reset();
  const paths = Object.keys(states).map(pathOf);
  await t.put(Object.fromEntries(paths.map((path) => [path, archived])));
  const backup = await t.takeBackup();
  for (const [state, { before }] of Object.entries(states)) if (before) await t.putTarget({ [pathOf(state)]: before });
  // Not in the backup; only a rollback touches it.
  await t.putTarget({ 'documents/only in the target': { kept: integer(1) } });
  return { backup, before: t.documentsIn(), fieldsBefore: t.fieldsOf() };
};

/** The fields as the database keeps them. */
const encodedOf = async (wanted: Readonly<Record<string, Fields>>): Promise<ReadonlyMap<string, string>> => {
  t.reset();
  await t.putTarget(wanted);
  return t.fieldsOf();
};

const after: Readonly<Record<MergeMode, (state: string) => Fields>> = {
  overwrite: () => archived,
  rollback: () => archived,
  skip_existing: (state) => states[state]?.before ?? archived,
  merge: (state) => states[state]!.merged,
};
const plans: Readonly<Record<MergeMode, object>> = {
  overwrite: { create: 1, overwrite: 5, skip: 0, delete: 0, unchanged: 1 },
  rollback: { create: 1, overwrite: 5, skip: 0, delete: 1, unchanged: 1 },
  skip_existing: { create: 1, overwrite: 0, skip: 6, delete: 0, unchanged: 0 },
  merge: { create: 1, overwrite: 4, skip: 0, delete: 0, unchanged: 2 },
};

for (const mergeMode of Object.keys(after) as MergeMode[])
  test(`${mergeMode}: each of the seven states of a document becomes exactly what it should, and is undone byte for byte`, async () => {
    const { backup, before, fieldsBefore } = await setup();
    const done = await t.restore(backup, { mergeMode });
    assert.equal(done.status, 'completed', JSON.stringify(done.error));
    const found = t.fieldsOf();
    const live = t.documentsIn();
    const wanted = Object.fromEntries(Object.keys(states).map((state) => [pathOf(state), after[mergeMode](state)]));
    const [undone, expected] = [done.journal.backupId, { ...wanted }];
    const isKept = mergeMode !== 'rollback';
    assert.equal(found.has('documents/only in the target'), isKept);
    const { 'documents/only in the target': _other, ...rest } = Object.fromEntries(found);
    const states7 = Object.keys(states).map(pathOf);
    assert.deepEqual(Object.keys(rest).sort(), states7.toSorted());
    assert.deepEqual(done.plan, plans[mergeMode]);
    // Unchanged documents were not written: their times are the same.
    const untouched = mergeMode === 'skip_existing' ? states7.filter((path) => before.has(path)) : [pathOf('identical')];
    for (const path of untouched) assert.equal(live.get(path), before.get(path), path);
    const undo = await t.restore(t.backupOf(undone), { mergeMode: 'rollback', undoOf: done.id, targetProjectId: t.targetId });
    assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
    assert.deepEqual(t.fieldsOf(), fieldsBefore);
    // Last, because it resets the environment.
    assert.deepEqual(rest, Object.fromEntries(await encodedOf(expected)));
  });
