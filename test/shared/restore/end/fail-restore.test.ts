/** A restore that cannot continue ends once, records why, and releases everything in the same transaction. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { undoSeconds } from '../../../../shared/contract/limits.ts';
import type { DestinationRecord } from '../../../../shared/destination/index.ts';
import type { Reason } from '../../../../shared/job/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, iso, after as later, set } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { failRestore, failureReason } from '../../../../shared/restore/end/fail-restore.ts';
import { type RestoreRecord, restoreKey } from '../../../../shared/restore/model/record.ts';
import { createRestoreEndEnv, type RestoreAtStage, type Stage } from '../../../harness/env/restore/restore-end-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreEndEnv();

const reason: Reason = { code: 'CHUNK_CORRUPT', message: 'a chunk is damaged', details: { object: 'chunk/3' } };
const fail = ({ id }: RestoreAtStage, error: Reason = reason, attempt = 1): Promise<void> =>
  failRestore({ tenant: t.tenant, restoreJobId: id, attempt, reasonOf: () => error, now: t.clock.now() });
const entries = () => t.table.find('AUDIT#').map(({ action, details }) => ({ action, details }));
const failedEvents = () => t.events('restore.failed').map(({ data }) => (data as { restore: Record<string, unknown> }).restore);

/** The end is committed completely or not at all. */
const isWhole = (setup: RestoreAtStage, before: RestoreRecord): void => {
  const { status, phase, error, completedAt } = t.restoreOf(setup.id);
  equal(phase, before.phase);
  if (status !== 'failed') {
    deepEqual([status, error, completedAt, failedEvents(), entries()], [before.status, null, null, [], []]);
    equal(t.lockOf(t.targetId)?.jobId, setup.id);
    return;
  }
  deepEqual(error, reason);
  t.assertReleased(setup);
  deepEqual(
    failedEvents().map((event) => [event.restoreJobId, event.status, event.phase, event.error, event.completedAt]),
    [[setup.id, 'failed', before.phase, reason, completedAt]],
  );
  deepEqual(
    entries().map(({ action }) => action),
    ['restore.failed'],
  );
};

/** A restore that may be writing first records that it fails. */
const effects = { pending: [1], checking: [1], sealed: [1, 2] } as const;

describe('a restore that fails', () => {
  for (const stage of ['pending', 'checking', 'sealed'] as const satisfies readonly Stage[])
    test(`while it is ${stage} fails completely or not at all, wherever its end crashes`, async () => {
      const crashes = (['before', 'after'] as const).flatMap((when) => effects[stage].map((at) => ({ at, when })));
      for (const { at, when } of crashes) {
        const setup = await t.startAt(stage);
        const before = t.restoreOf(setup.id);
        const machine = new CrashingMachine(at, when).attach(t);
        await fail(setup).catch(() => undefined);
        ok(machine.isDead);
        isWhole(setup, before);
        new CrashingMachine().attach(t);
        await fail(setup);
        equal(t.restoreOf(setup.id).status, 'failed');
        isWhole(setup, before);
      }
    });

  test('before it wrote anything cannot be undone; after that it can for 7 days', async () => {
    const early = await t.startAt('checking');
    await fail(early);
    equal(t.restoreOf(early.id).undoUntil, null);
    const setup = await t.startAt('sealed');
    await fail(setup);
    const { undoUntil, completedAt, journal } = t.restoreOf(setup.id);
    equal(undoUntil, iso(later(new Date(completedAt!), undoSeconds)));
    equal(t.backupOf(journal.backupId).expiresAt, undoUntil);
  });

  test('several times at once fails once', async () => {
    const setup = await t.startAt('sealed');
    const before = t.restoreOf(setup.id);
    await Promise.all([1, 2, 3].map(() => fail(setup)));
    await fail(setup, { ...reason, message: 'another' });
    isWhole(setup, before);
  });

  test('at the moment it is sealed keeps its safety backup', async () => {
    const setup = await t.startAt('checking');
    const writes = t.sealingWrites(setup.id, true, iso(t.clock.now()));
    let sealing: Promise<void> | undefined;
    const failing = failRestore({
      tenant: t.tenant,
      restoreJobId: setup.id,
      attempt: 1,
      reasonOf: () => {
        sealing ??= commit(writes);
        return reason;
      },
      now: t.clock.now(),
    });
    await failing;
    await sealing;
    const { safetyBackupId, undoUntil, status } = t.restoreOf(setup.id);
    deepEqual([status, safetyBackupId !== undefined, undoUntil !== null], ['failed', true, true]);
    t.assertReleased(setup);
  });

  test('keeps what the reaper needs to clean up', async () => {
    const setup = await t.startAt('checking');
    await fail(setup);
    equal(t.runningItemOf(setup.id)?.attempt, 1);
  });

  test('leaves the lock of another job alone', async () => {
    const setup = await t.startAt('checking');
    t.table.put({ ...t.lockOf(t.targetId)!, jobId: 'another' });
    await fail(setup);
    deepEqual([t.restoreOf(setup.id).status, t.lockOf(t.targetId)?.jobId], ['failed', 'another']);
  });

  test('fails even if its target, backup, destination and organization are gone', async () => {
    const setup = await t.startAt('sealed');
    const keys = [
      projectKey.project(t.tenant, t.targetId),
      organizationKey.storageDestination(t.tenant, t.destinationId),
      organizationKey.organization(t.tenant),
    ];
    await commit(keys.map((remove) => ({ remove })));
    await commit([{ remove: { pk: t.backupOf(setup.backupId).pk, sk: t.backupOf(setup.backupId).sk } }]);
    for (const code of ['SOURCE_AUTH_ERROR', 'STORAGE_UPLOAD_ERROR'] as const) {
      await fail(setup, { code, message: 'no' });
      equal(t.restoreOf(setup.id).error?.code, 'SOURCE_AUTH_ERROR');
    }
    equal(t.lockOf(t.targetId), undefined);
  });
});

describe('a restore that has ended', () => {
  for (const status of ['completed', 'cancelled'] as const)
    test(`as ${status} keeps its status`, async () => {
      const setup = await t.startAt('sealed');
      await t.endRestore(setup.id, status);
      const before = t.restoreOf(setup.id);
      await fail(setup);
      deepEqual([t.restoreOf(setup.id), failedEvents()], [before, []]);
    });

  test('and was resumed does not fail with the reason of its last attempt', async () => {
    const setup = await t.startAt('sealed');
    await fail(setup, reason, 1);
    t.resumeNow(setup.id);
    await fail(setup, reason, 1);
    deepEqual([t.restoreOf(setup.id).status, failedEvents().length, t.lockOf(t.targetId)?.jobId], ['pending', 1, setup.id]);
    await fail(setup, reason, 2);
    deepEqual([t.restoreOf(setup.id).status, failedEvents().length], ['failed', 2]);
  });

  test('as completed has released its target and both backups; it does not complete while another job holds the lock', async () => {
    const setup = await t.startAt('sealed');
    await t.endRestore(setup.id, 'completed');
    t.assertReleased(setup);
    const lost = await t.startAt('sealed');
    t.table.put({ ...t.lockOf(t.targetId)!, jobId: 'another' });
    await t.endRestore(lost.id, 'completed').catch(() => undefined);
    deepEqual([t.restoreOf(lost.id).status, t.backupOf(lost.backupId).restoring], ['running', 1]);
  });

  test('as cancelled keeps the target and both backups while a writer may be active', async () => {
    const setup = await t.startAt('sealed');
    await t.endRestore(setup.id, 'cancelled');
    const { undoUntil, journal } = t.restoreOf(setup.id);
    const [backup, safety] = [t.backupOf(setup.backupId), t.backupOf(journal.backupId)];
    deepEqual([t.lockOf(t.targetId)?.jobId, backup.restoring, safety.restoring], [setup.id, 1, 1]);
    deepEqual([undoUntil !== null, safety.expiresAt], [true, undoUntil]);
  });
});

describe('failRestore: the cause', () => {
  test('a store that refuses uploads: the destination of the journal is marked, with an event', async () => {
    const setup = await t.startAt('checking');
    await fail(setup, { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' });
    const { status } = t.table.get<DestinationRecord>(organizationKey.storageDestination(t.tenant, t.destinationId))!;
    deepEqual([status, t.events('storage.error').length], ['error', 1]);
  });

  test('access to the target: the target must be reconnected, the project of the backup need not', async () => {
    const setup = await t.startAt('checking');
    await fail(setup, { code: 'SOURCE_AUTH_ERROR', message: 'The grant was revoked' });
    const status = (id: string) => t.table.get<ProjectRecord>(projectKey.project(t.tenant, id))?.status;
    deepEqual([status(t.targetId), status(t.projectId)], ['unauthorized', 'connected']);
  });

  test('a write that the target refuses: its connection stays as it was', async () => {
    const setup = await t.startAt('sealed');
    await fail(setup, { code: 'TARGET_PERMISSION_DENIED', message: 'no' });
    equal(t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.targetId))?.status, 'connected');
  });
});

test('failureReason: the failure of a step, else the last transient error, else the timeout, else an internal error', async () => {
  const { id } = await t.startAt('checking');
  const key = restoreKey.restore(t.tenant, id);
  const timeout = { Error: 'States.Timeout' };
  deepEqual(failureReason(t.restoreOf(id), undefined).code, 'INTERNAL_ERROR');
  ok(failureReason(t.restoreOf(id), timeout).message.endsWith('in time'));
  const trouble = { code: 'STORAGE_READ_ERROR', message: 'away' } as const;
  await commit([set(key, { trouble })]);
  deepEqual(failureReason(t.restoreOf(id), timeout), trouble);
  await commit([set(key, { failure: reason })]);
  deepEqual(failureReason(t.restoreOf(id), timeout), reason);
});
