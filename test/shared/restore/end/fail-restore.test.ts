/** A restore that cannot continue ends once, records why, and releases everything in the same transaction. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { undoSeconds } from '../../../../shared/contract/limits.ts';
import type { DestinationRecord } from '../../../../shared/destination/index.ts';
import type { Reason } from '../../../../shared/job/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, iso, after as later, set } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { failRestore, failureReason } from '../../../../shared/restore/end/fail-restore.ts';
import { type RestoreRecord, restoreKey } from '../../../../shared/restore/model/record.ts';
import {
  assertReleased,
  createRestoreAt,
  endRestore,
  lockOf,
  type RestoreAtStage,
  resumeNow,
  runningItemOf,
  type Stage,
  sealingWrites,
} from '../../../harness/env/restore/restore-end-env.ts';
import {
  backupOf,
  destinationId,
  eventsOf,
  projectId,
  restoreOf,
  server,
  table,
  targetId,
  tenant,
} from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

afterAll(() => server.stop());

const reason: Reason = { code: 'CHUNK_CORRUPT', message: 'a chunk is damaged', details: { object: 'chunk/3' } };
const fail = ({ world, id }: RestoreAtStage, error: Reason = reason, attempt = 1): Promise<void> =>
  failRestore({ tenant, restoreJobId: id, attempt, reasonOf: () => error, now: world.engine.clock.now() });
const entries = () => table.find('AUDIT#').map(({ action, details }) => ({ action, details }));
const toldOf = () => eventsOf('restore.failed').map(({ data }) => (data as { restore: Record<string, unknown> }).restore);

/** Either all of the end is there, or none. */
const isWhole = (setup: RestoreAtStage, before: RestoreRecord): void => {
  const { status, phase, error, completedAt } = restoreOf(setup.id);
  equal(phase, before.phase);
  if (status !== 'failed') {
    deepEqual([status, error, completedAt, toldOf(), entries()], [before.status, null, null, [], []]);
    equal(lockOf(targetId)?.jobId, setup.id);
    return;
  }
  deepEqual(error, reason);
  assertReleased(setup);
  deepEqual(
    toldOf().map((told) => [told.restoreJobId, told.status, told.phase, told.error, told.completedAt]),
    [[setup.id, 'failed', before.phase, reason, completedAt]],
  );
  deepEqual(
    entries().map(({ action }) => action),
    ['restore.failed'],
  );
};

/** One that may be writing says first that it fails. */
const effects = { pending: [1], checking: [1], sealed: [1, 2] } as const;

describe('a restore that fails', () => {
  for (const stage of ['pending', 'checking', 'sealed'] as const satisfies readonly Stage[])
    test(`while it is ${stage} fails completely or not at all, wherever its end crashes`, async () => {
      const places = (['before', 'after'] as const).flatMap((when) => effects[stage].map((at) => ({ at, when })));
      for (const { at, when } of places) {
        const setup = await createRestoreAt(stage);
        const before = restoreOf(setup.id);
        const machine = new CrashingMachine(at, when).attach(setup.world);
        await fail(setup).catch(() => undefined);
        ok(machine.isDead);
        isWhole(setup, before);
        new CrashingMachine().attach(setup.world);
        await fail(setup);
        equal(restoreOf(setup.id).status, 'failed');
        isWhole(setup, before);
      }
    });

  test('before it wrote anything cannot be undone; after that it can for 7 days', async () => {
    const early = await createRestoreAt('checking');
    await fail(early);
    equal(restoreOf(early.id).undoUntil, null);
    const setup = await createRestoreAt('sealed');
    await fail(setup);
    const { undoUntil, completedAt, journal } = restoreOf(setup.id);
    equal(undoUntil, iso(later(new Date(completedAt!), undoSeconds)));
    equal(backupOf(journal.backupId).expiresAt, undoUntil);
  });

  test('several times at once fails once', async () => {
    const setup = await createRestoreAt('sealed');
    const before = restoreOf(setup.id);
    await Promise.all([1, 2, 3].map(() => fail(setup)));
    await fail(setup, { ...reason, message: 'another' });
    isWhole(setup, before);
  });

  test('at the moment it is sealed keeps its safety backup', async () => {
    const setup = await createRestoreAt('checking');
    const writes = sealingWrites(setup.id, true, iso(setup.world.engine.clock.now()));
    let sealing: Promise<void> | undefined;
    const failing = failRestore({
      tenant,
      restoreJobId: setup.id,
      attempt: 1,
      reasonOf: () => {
        sealing ??= commit(writes);
        return reason;
      },
      now: setup.world.engine.clock.now(),
    });
    await failing;
    await sealing;
    const { safetyBackupId, undoUntil, status } = restoreOf(setup.id);
    deepEqual([status, safetyBackupId !== undefined, undoUntil !== null], ['failed', true, true]);
    assertReleased(setup);
  });

  test('keeps what the reaper needs to clean up', async () => {
    const setup = await createRestoreAt('checking');
    await fail(setup);
    equal(runningItemOf(setup.id)?.attempt, 1);
  });

  test('leaves the lock of another job alone', async () => {
    const setup = await createRestoreAt('checking');
    table.put({ ...lockOf(targetId)!, jobId: 'another' });
    await fail(setup);
    deepEqual([restoreOf(setup.id).status, lockOf(targetId)?.jobId], ['failed', 'another']);
  });

  test('fails even if its target, backup, destination and organization are gone', async () => {
    const setup = await createRestoreAt('sealed');
    const keys = [
      projectKey.project(tenant, targetId),
      organizationKey.storageDestination(tenant, destinationId),
      organizationKey.organization(tenant),
    ];
    await commit(keys.map((remove) => ({ remove })));
    await commit([{ remove: { pk: backupOf(setup.backupId).pk, sk: backupOf(setup.backupId).sk } }]);
    for (const code of ['SOURCE_AUTH_ERROR', 'STORAGE_UPLOAD_ERROR'] as const) {
      await fail(setup, { code, message: 'no' });
      equal(restoreOf(setup.id).error?.code, 'SOURCE_AUTH_ERROR');
    }
    equal(lockOf(targetId), undefined);
  });
});

describe('a restore that has ended', () => {
  for (const status of ['completed', 'cancelled'] as const)
    test(`as ${status} keeps its status`, async () => {
      const setup = await createRestoreAt('sealed');
      await endRestore(setup, status);
      const before = restoreOf(setup.id);
      await fail(setup);
      deepEqual([restoreOf(setup.id), toldOf()], [before, []]);
    });

  test('and was resumed does not fail with the reason of its last attempt', async () => {
    const setup = await createRestoreAt('sealed');
    await fail(setup, reason, 1);
    resumeNow(setup.id);
    await fail(setup, reason, 1);
    deepEqual([restoreOf(setup.id).status, toldOf().length, lockOf(targetId)?.jobId], ['pending', 1, setup.id]);
    await fail(setup, reason, 2);
    deepEqual([restoreOf(setup.id).status, toldOf().length], ['failed', 2]);
  });

  test('as completed has released its target and both backups; it does not complete while another job holds the lock', async () => {
    const setup = await createRestoreAt('sealed');
    await endRestore(setup, 'completed');
    assertReleased(setup);
    const lost = await createRestoreAt('sealed');
    table.put({ ...lockOf(targetId)!, jobId: 'another' });
    await endRestore(lost, 'completed').catch(() => undefined);
    deepEqual([restoreOf(lost.id).status, backupOf(lost.backupId).restoring], ['running', 1]);
  });

  test('as cancelled keeps the target and both backups while a writer may be active', async () => {
    const setup = await createRestoreAt('sealed');
    await endRestore(setup, 'cancelled');
    const { undoUntil, journal } = restoreOf(setup.id);
    const [backup, safety] = [backupOf(setup.backupId), backupOf(journal.backupId)];
    deepEqual([lockOf(targetId)?.jobId, backup.restoring, safety.restoring], [setup.id, 1, 1]);
    deepEqual([undoUntil !== null, safety.expiresAt], [true, undoUntil]);
  });
});

describe('failRestore: the cause', () => {
  test('a store that refuses uploads: the destination of the journal is marked, with an event', async () => {
    const setup = await createRestoreAt('checking');
    await fail(setup, { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' });
    const { status } = table.get<DestinationRecord>(organizationKey.storageDestination(tenant, destinationId))!;
    deepEqual([status, eventsOf('storage.error').length], ['error', 1]);
  });

  test('access to the target: the target must be reconnected, the project of the backup need not', async () => {
    const setup = await createRestoreAt('checking');
    await fail(setup, { code: 'SOURCE_AUTH_ERROR', message: 'The grant was revoked' });
    const status = (id: string) => table.get<ProjectRecord>(projectKey.project(tenant, id))?.status;
    deepEqual([status(targetId), status(projectId)], ['unauthorized', 'connected']);
  });

  test('a write that the target refuses: its connection stays as it was', async () => {
    const setup = await createRestoreAt('sealed');
    await fail(setup, { code: 'TARGET_PERMISSION_DENIED', message: 'no' });
    equal(table.get<ProjectRecord>(projectKey.project(tenant, targetId))?.status, 'connected');
  });
});

test('failureReason: the failure of a step, else the last transient error, else the timeout, else an internal error', async () => {
  const { id } = await createRestoreAt('checking');
  const key = restoreKey.restore(tenant, id);
  const timeout = { Error: 'States.Timeout' };
  deepEqual(failureReason(restoreOf(id), undefined).code, 'INTERNAL_ERROR');
  ok(failureReason(restoreOf(id), timeout).message.endsWith('in time'));
  const trouble = { code: 'STORAGE_READ_ERROR', message: 'away' } as const;
  await commit([set(key, { trouble })]);
  deepEqual(failureReason(restoreOf(id), timeout), trouble);
  await commit([set(key, { failure: reason })]);
  deepEqual(failureReason(restoreOf(id), timeout), reason);
});
