/** The last step of a restore. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import type { RestoreShardRecord } from '../../../../shared/restore/model/record.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { countMismatch, firstFailures, sumShards } from '../../../../shared/restore/model/shard-totals.ts';
import { finishRestore } from '../../../../shared/restore/steps/finish-restore.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const documents = {
  'a/1': { n: integer(1) },
  'a/2': { n: integer(2) },
  'a/2/below/3': { n: integer(3) },
  'b/4': { n: integer(4) },
};

const setup = async () => {
  t.reset();
  await t.put(documents);
  const backup = await t.takeBackup();
  await t.putTarget({ 'a/1': documents['a/1'], 'a/2': { n: integer(-2) }, 'z/9': { n: integer(9) } });
  t.server.faults.resetCalls();
  return { backup };
};

const auditsOf = (action: string) => t.table.find('AUDIT#').filter((entry) => entry.action === action);

test('finish: a completed restore is complete in its record, target, both backups, events and audit', async () => {
  const { backup } = await setup();
  const done = await t.restore(backup, { mergeMode: 'rollback' });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.phase, 'Completed');
  assert.deepEqual(done.plan, { create: 2, overwrite: 1, skip: 0, delete: 1, unchanged: 1 });
  assert.deepEqual([done.written, done.deleted, done.raced, done.failed], [3, 1, 0, 0]);
  assert.equal(done.collectionsRestored, 3);
  assert.equal(done.toldPercent, 100);
  assert.equal(Date.parse(done.undoUntil!) - Date.parse(done.completedAt!), 7 * 24 * 3_600_000);
  const safety = t.backupOf(done.journal.backupId);
  assert.equal(safety.expiresAt, done.undoUntil);
  assert.equal(safety.restoring ?? 0, 0);
  assert.equal(t.backupOf(backup.id).restoring ?? 0, 0);
  assert.equal(t.table.get(projectKey.job(t.tenant, t.targetId)), undefined, 'the target is free');
  assert.equal(t.table.get(restoreKey.running(t.tenant, done.id)), undefined);
  assert.equal(t.shardsOf(done.id).length, 0);
  const [completed, ...more] = t.events('restore.completed');
  assert.equal(more.length, 0);
  const shown = (completed!.data as { restore: { documentsRestored: number; documentsDeleted: number } }).restore;
  assert.deepEqual([shown.documentsRestored, shown.documentsDeleted], [4, 1]);
  assert.equal(auditsOf('restore.completed').length, 1);
  assert.equal(t.organization.backupCount, 2);
});

test('finish: a target that had refused access is connected again, unless it uses the grant of a former member', async () => {
  for (const isMember of [true, false]) {
    const { backup } = await setup();
    const target = () => t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.targetId))!;
    const { connection, createdAt } = target();
    assert.ok(connection.type === 'user' && connection.userId);
    if (isMember) t.table.put({ ...organizationKey.member(t.tenant, connection.userId), role: 'owner' });
    t.table.put({ ...target(), status: 'unauthorized', updatedAt: createdAt });
    assert.equal((await t.restore(backup)).status, 'completed');
    assert.equal(target().status, isMember ? 'connected' : 'unauthorized');
  }
});

test('finish: a second run changes nothing', async () => {
  const { backup } = await setup();
  const done = await t.restore(backup);
  const before = new Map(t.table.items);
  await finishRestore({ tenant: t.tenant, restoreJobId: done.id, attempt: 1 }, t.deps);
  assert.deepEqual(new Map(t.table.items), before);
});

test('finish: a restore that was failed meanwhile, or lost the lock of its target, does not complete', async () => {
  const { backup } = await setup();
  const id = await t.startRestore(backup);
  await t.runRestore(id, { upTo: 'write' });
  const job = t.table.get<Record<string, string>>(projectKey.job(t.tenant, t.targetId))!;
  t.table.put({ ...job, ...projectKey.job(t.tenant, t.targetId), jobId: 'another' });
  await assert.rejects(finishRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps));
  assert.equal(t.restoreOf(id).status, 'running');
  t.table.put({ ...job, ...projectKey.job(t.tenant, t.targetId) });
  t.table.put({ ...t.restoreOf(id), status: 'cancelled' });
  await assert.rejects(finishRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps), { name: 'NotRunning' });
  assert.equal(t.restoreOf(id).status, 'cancelled');
  assert.equal(t.events('restore.completed').length, 0);
});

test('finish: a document that is not accounted for fails the restore with COUNT_MISMATCH, whatever its progress', async () => {
  const { backup } = await setup();
  const id = await t.startRestore(backup);
  await t.runRestore(id, { upTo: 'write' });
  const [shard] = t.shardsOf(id);
  t.table.put({ ...shard!, written: shard!.written - 1 });
  await assert.rejects(finishRestore({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, t.deps), {
    name: 'JobFailure',
    code: 'COUNT_MISMATCH',
  });
  assert.equal(t.restoreOf(id).phase, 'Finalizing');
  assert.equal(t.restoreOf(id).status, 'running', 'the workflow ends it');
});

test('finish: a dry run has its plan, and has touched nothing', async () => {
  const { backup } = await setup();
  const before = t.documentsIn();
  const done = await t.restore(backup, { mergeMode: 'rollback', dryRun: true });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(done.plan, { create: 2, overwrite: 1, skip: 0, delete: 1, unchanged: 1 });
  assert.equal(t.writesSent(), 0);
  assert.deepEqual(t.documentsIn(), before);
  assert.equal(done.undoUntil, null);
  assert.equal(t.organization.backupCount, 1);
  // A dry run emits no events.
  assert.deepEqual(
    t.events().filter(({ type }) => String(type).startsWith('restore.')),
    [],
  );
  assert.equal(t.table.get(projectKey.job(t.tenant, t.targetId)), undefined);
});

test('finish: a restore without differences completes without a write and without a safety backup', async () => {
  const { backup } = await setup();
  await t.putTarget(documents);
  const done = await t.restore(backup);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(t.writesSent(), 0);
  assert.equal(done.plan?.unchanged, 4);
  assert.equal(done.undoUntil, null);
});

test('finish: the undone restore names its undo, which can be undone', async () => {
  const { backup } = await setup();
  const before = t.fieldsOf();
  const done = await t.restore(backup, { mergeMode: 'rollback' });
  const restored = t.fieldsOf();
  const undo = await t.restore(t.backupOf(done.journal.backupId), { mergeMode: 'rollback', undoOf: done.id });
  assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
  assert.equal(t.restoreOf(done.id).undoneBy, undo.id);
  assert.deepEqual(t.fieldsOf(), before);
  const again = await t.restore(t.backupOf(undo.journal.backupId), { mergeMode: 'rollback', undoOf: undo.id });
  assert.equal(again.status, 'completed', JSON.stringify(again.error));
  assert.equal(t.restoreOf(undo.id).undoneBy, again.id);
  assert.deepEqual(t.fieldsOf(), restored);
});

test('finish: without a safety backup a completed restore leaves no objects and cannot be undone', async () => {
  const { backup } = await setup();
  const done = await t.restore(backup, { safetyBackup: false });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.undoUntil, null);
  assert.equal(t.backupOf(done.journal.backupId) as BackupRecord | undefined, undefined);
  assert.deepEqual([...(t.stores.get(done.journal.path)?.objects.keys() ?? [])], []);
});

test('finish: written, deleted, raced and failed add up to the plan, or the difference is reported', () => {
  const shard = (more: Partial<RestoreShardRecord>): RestoreShardRecord =>
    ({
      plan: { create: 6, overwrite: 3, delete: 1, skip: 5, unchanged: 7 },
      written: 8,
      deleted: 1,
      raced: 1,
      failed: 0,
      failures: [],
      ...more,
    }) as RestoreShardRecord;
  assert.equal(countMismatch(sumShards([shard({}), shard({})])), undefined);
  const failed = countMismatch(sumShards([shard({}), shard({ written: 6, failed: 2 })]));
  assert.deepEqual(failed?.details, { planned: 20, failed: 2 });
  assert.match(failed?.message ?? '', /^2 of 20 documents could not be written; the list of failures names them$/);
  // In the last two the sums agree, although a document was deleted instead of written, or written instead of deleted.
  const swapped = [
    { written: 7, deleted: 2 },
    { written: 9, deleted: 0 },
  ];
  for (const more of [{ written: 7 }, { written: 9 }, { deleted: 0 }, { raced: 3 }, ...swapped])
    assert.equal(countMismatch(sumShards([shard({}), shard(more)]))?.code, 'COUNT_MISMATCH');
});

test('finish: the first 100 failures by path are kept, as far as they fit', () => {
  const failure = (n: number, path = `c/${String(n).padStart(4, '0')}`) => ({ path, code: 'X', message: 'm' });
  const many = Array.from({ length: 300 }, (_, n) => failure((n * 7) % 300));
  assert.deepEqual(
    firstFailures(many).map(({ path }) => path),
    Array.from({ length: 100 }, (_, n) => failure(n).path),
  );
  const long = Array.from({ length: 100 }, (_, n) => failure(n, `c/${'x'.repeat(6_000)}${n}`));
  assert.ok(JSON.stringify(firstFailures(long)).length < 100_000);
});
