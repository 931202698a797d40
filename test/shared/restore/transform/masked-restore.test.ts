/** A masked copy through the real steps: interrupted, resumed, undone and repeated, it masks the same way. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import type { TransformRule } from '../../../../shared/contract/models/transform.ts';
import { restDocument } from '../../../../shared/firestore/index.ts';
import { maskSaltKey } from '../../../../shared/job/index.ts';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { restoreData, undoRestore } from '../../../../shared/restore/index.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { createRestoreEnv, type Fields, firstRestoreStep } from '../../../harness/env/restore-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreEnv();

beforeEach(() => t.reset());

const text = (stringValue: string): Fields[string] => ({ stringValue });
const count = 30;
const people = (): Record<string, Fields> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `people/${String(n).padStart(3, '0')}`,
      { team: text('same@example.test'), email: text(`p${n}@example.test`), n: { integerValue: BigInt(n) } },
    ]),
  );
const rule = (field: string, transform: TransformRule['transform']): TransformRule => ({
  collection: 'people',
  field,
  transform,
});
const transform = { rules: [rule('team', 'hash'), rule('email', 'redact')], allowUnmatched: false };
const teams = (): readonly string[] =>
  [...t.documentsIn()].flatMap(([, hex]) => {
    const { team } = restDocument(Buffer.from(hex, 'hex')).fields as { team?: { stringValue: string } };
    return team ? [team.stringValue] : [];
  });
const saltOf = (id: string) => t.table.get(maskSaltKey(t.tenant, id));

const setup = async () => {
  await t.put({ ...people(), 'shops/one': { title: text('One') } });
  return t.takeBackup();
};

test('a masked copy counts what its rules change, and destroys its key when everything is written', async () => {
  const backup = await setup();
  const done = await t.restore(backup, { transform, collections: ['people'] });
  equal(done.status, 'completed', JSON.stringify(done.error));
  deepEqual(done.transformed, { documents: count, fields: 2 * count, matches: [count, count] });
  const shown = restoreData(done);
  deepEqual(
    [shown.transform?.rules, shown.transform?.documentsTransformed, shown.ruleMatches?.[0]?.documents],
    [2, count, count],
  );
  equal(new Set(teams()).size, 1);
  match(teams()[0] ?? '', /^[0-9a-f]{32}$/);
  equal(saltOf(done.id), undefined);
});

test('an untouched document arrives byte for byte, and a repeated copy is unchanged only where the key does not matter', async () => {
  const backup = await setup();
  const only = { rules: [rule('email', 'redact')], allowUnmatched: false };
  await t.restore(backup, { transform: only });
  equal(t.fieldsOf().get('shops/one'), t.fieldsOf('source').get('shops/one'));
  const again = await t.restore(backup, { transform: only });
  deepEqual(again.plan, { create: 0, overwrite: 0, skip: 0, delete: 0, unchanged: count + 1 });
  const hashed = await t.restore(backup, { transform });
  deepEqual([hashed.plan?.overwrite, hashed.plan?.unchanged], [count, 1]);
});

test('a rule that matches nothing fails the job before it writes, unless it is allowed to', async () => {
  const backup = await setup();
  const rules = [...transform.rules, rule('emial', 'null')];
  const id = await t.startRestore(backup, { transform: { rules, allowUnmatched: false } });
  const failed = await t.runRestore(id).catch(() => t.restoreOf(id));
  deepEqual([failed.status, failed.error?.code], ['failed', 'TRANSFORM_INVALID'], JSON.stringify(failed.error));
  match(failed.error?.message ?? '', /rule 3 \(null for emial in people\) matches no field.*Nothing was written/);
  equal(t.documentsIn().size, 0);
  const done = await t.restore(backup, { transform: { rules, allowUnmatched: true } });
  deepEqual(restoreData(done).transform?.unmatchedRules, [rule('emial', 'null')]);
});

test('a job refuses a target that has the database of the backup', async () => {
  const backup = await setup();
  const before = t.documentsIn('source');
  const id = await t.startRestore(backup, { transform, targetProjectId: t.projectId });
  const failed = await t.runRestore(id).catch(() => t.restoreOf(id));
  deepEqual([failed.status, failed.error?.code], ['failed', 'TRANSFORM_INVALID'], JSON.stringify(failed.error));
  deepEqual(t.documentsIn('source'), before);
});

test('a crash at any effect does not change how documents are masked', async () => {
  const backup = await setup();
  const begin = async (): Promise<string> => {
    await t.putTarget(Object.fromEntries([...t.documentsIn().keys()].map((path) => [path, undefined])));
    return t.startRestore(backup, { transform });
  };
  const undisturbed = new CrashingMachine().attach(t);
  await t.resumeRestore(await begin(), firstRestoreStep());
  const points = crashPoints(undisturbed.effects).filter(({ at }) => at % 3 === 0);
  ok(points.length > 5);
  for (const { at, when } of points) {
    new CrashingMachine().attach(t);
    const id = await begin();
    const position = firstRestoreStep();
    const machine = new CrashingMachine(at, when).attach(t);
    await t.resumeRestore(id, position).catch((error: unknown) => ok(machine.isDead, error as Error));
    new CrashingMachine().attach(t);
    if (machine.isDead) await t.resumeRestore(id, position);
    const { status, transformed } = t.restoreOf(id);
    deepEqual([status, transformed], ['completed', { documents: count, fields: 2 * count, matches: [count, count] }]);
    equal(new Set(teams()).size, 1, `${when} ${at}`);
  }
});

test('an incomplete copy is resumed with its key, and its undo finds what it wrote', async () => {
  const backup = await setup();
  const start = async (): Promise<string> => {
    const id = await t.startRestore(backup, { transform, collections: ['people'] });
    await t.runRestore(id, { upTo: 'seal' });
    // Others create a document after the check: the copy does not replace it, and fails.
    await t.putTarget({ 'people/007': { team: text('theirs') } });
    await t.runRestore(id).catch(() => undefined);
    return id;
  };
  const id = await start();
  deepEqual([t.restoreOf(id).status, t.restoreOf(id).written], ['failed', count - 1]);
  const [first] = teams();
  ok(saltOf(id));
  // The document is gone again: the resumed copy writes it, masked as the others.
  await t.putTarget({ 'people/007': undefined });
  const { change } = await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now());
  await commit(change.writes);
  equal((await t.runRestore(id)).status, 'completed');
  deepEqual([...new Set(teams())], [first]);

  await t.putTarget(Object.fromEntries([...t.documentsIn().keys()].map((path) => [path, undefined])));
  const other = await start();
  const by = { encryption: { mode: 'kms', keyId: 'key' }, createdBy: { type: 'user', id: newId('user') } } as const;
  const { restore: undoing, change: begun } = await undoRestore(t.tenant, {
    restore: t.restoreOf(other),
    caller: by,
    now: t.clock.now(),
  });
  await commit(begun.writes);
  const undone = await t.runRestore(undoing.id);
  deepEqual([undone.status, undone.deleted, [...t.documentsIn().keys()]], ['completed', count - 1, ['people/007']]);
});
