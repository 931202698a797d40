/** `deleteDigest` binds a restore to its plan: nothing is deleted that the plan did not show. */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();
beforeEach(() => t.reset());

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const rollback = { mergeMode: 'rollback' } as const;
const digestOf = ({ deleteDigest }: RestoreRecord): { deleteDigest: string } => {
  if (deleteDigest === undefined) throw new Error('the plan has no digest');
  return { deleteDigest };
};
const pathsNow = (): readonly string[] => [...t.documentsIn().keys()].sort();

/** The target has a document that the backup lacks. */
const planned = async () => {
  await t.put({ 'users/ada': text('a') });
  const backup = await t.takeBackup();
  await t.putTarget({ 'users/ada': text('changed'), 'users/new': text('n') });
  return { backup, plan: await t.restore(backup, { ...rollback, dryRun: true }) };
};

describe('a rollback with the digest of its plan', () => {
  test('deletes what the plan showed', async () => {
    const { backup, plan } = await planned();
    deepEqual([plan.status, plan.plan?.delete, plan.deletions], ['completed', 1, ['users/new']]);
    const ended = await t.restore(backup, { ...rollback, ...digestOf(plan) });
    deepEqual([ended.status, ended.deleted, ended.deleteDigest], ['completed', 1, plan.deleteDigest]);
    deepEqual(pathsNow(), ['users/ada']);
  });

  test('writes nothing if it would delete one document more', async () => {
    const { backup, plan } = await planned();
    await t.putTarget({ 'users/newer': text('later') });
    const before = t.writesSent();
    const ended = await t.restore(backup, { ...rollback, ...digestOf(plan) });
    deepEqual([ended.status, ended.error?.code, ended.safetyBackupId], ['failed', 'PLAN_CHANGED', undefined]);
    deepEqual(ended.failure?.details ?? ended.error?.details, { delete: 2, deletions: ['users/new', 'users/newer'] });
    equal(t.writesSent(), before);
    deepEqual(pathsNow(), ['users/ada', 'users/new', 'users/newer']);
  });

  test('writes nothing if it would delete as many documents, but others', async () => {
    const { backup, plan } = await planned();
    await t.putTarget({ 'users/new': undefined, 'users/other': text('later') });
    const ended = await t.restore(backup, { ...rollback, ...digestOf(plan) });
    deepEqual([ended.status, ended.error?.code], ['failed', 'PLAN_CHANGED']);
    deepEqual(pathsNow(), ['users/ada', 'users/other']);
  });

  test('replaces documents that were changed since: the safety backup has them', async () => {
    const { backup, plan } = await planned();
    await t.putTarget({ 'users/ada': text('changed again') });
    equal((await t.restore(backup, { ...rollback, ...digestOf(plan) })).status, 'completed');
  });
});

test('the digest depends on the documents, not on the order or the number of shards', async () => {
  const { backup, plan } = await planned();
  equal((await t.restore(backup, { ...rollback, dryRun: true })).deleteDigest, plan.deleteDigest);
  await t.putTarget({ 'a/1': text('1') });
  notEqual((await t.restore(backup, { ...rollback, dryRun: true })).deleteDigest, plan.deleteDigest);
});

describe('an undo', () => {
  const undo = async (id: string, more: { readonly dryRun?: boolean; readonly deleteDigest?: string }) => {
    const by = { encryption: { mode: 'kms', keyId: 'key' } as const, createdBy: { type: 'user', id: newId('user') } };
    const begun = await undoRestore(t.tenant, { restore: t.restoreOf(id), caller: { ...by, ...more }, now: t.clock.now() });
    await commit(begun.change.writes);
    return t.runRestore(begun.restore.id);
  };

  /** A restore that created `users/ada` and replaced `users/bob`. */
  const restored = async (): Promise<string> => {
    await t.put({ 'users/ada': text('a'), 'users/bob': text('b') });
    const backup = await t.takeBackup();
    await t.putTarget({ 'users/bob': text('changed') });
    return (await t.restore(backup)).id;
  };

  test('is planned by a job that writes nothing and leaves the restore as it is', async () => {
    const id = await restored();
    const before = t.writesSent();
    const plan = await undo(id, { dryRun: true });
    deepEqual([plan.status, plan.dryRun, plan.undoOf, plan.deletions], ['completed', true, id, ['users/ada']]);
    deepEqual(plan.plan, { create: 0, overwrite: 1, skip: 0, delete: 1, unchanged: 0 });
    equal(t.writesSent(), before);
    deepEqual([t.restoreOf(id).undoneBy, t.restoreOf(id).undoBegunBy], [null, undefined]);
    const undone = await undo(id, digestOf(plan));
    deepEqual([undone.status, t.restoreOf(id).undoneBy], ['completed', undone.id]);
    deepEqual(pathsNow(), ['users/bob']);
  });

  test('fails before it writes if it would delete other documents than its plan', async () => {
    const id = await restored();
    const plan = await undo(id, { dryRun: true });
    await t.putTarget({ 'users/ada': undefined });
    const failed = await undo(id, digestOf(plan));
    deepEqual([failed.status, failed.error?.code, t.restoreOf(id).undoneBy], ['failed', 'PLAN_CHANGED', null]);
    deepEqual(pathsNow(), ['users/bob']);
  });
});
