/** A restore that cannot go on ends once, says why, and lets go of everything in the same moment. */
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
} from '../../../harness/env/restore-end-env.ts';
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
const isWhole = (scene: RestoreAtStage, before: RestoreRecord): void => {
  const { status, phase, error, completedAt } = restoreOf(scene.id);
  equal(phase, before.phase);
  if (status !== 'failed') {
    deepEqual([status, error, completedAt, toldOf(), entries()], [before.status, null, null, [], []]);
    equal(lockOf(targetId)?.jobId, scene.id);
    return;
  }
  deepEqual(error, reason);
  assertReleased(scene);
  deepEqual(
    toldOf().map((told) => [told.restoreJobId, told.status, told.phase, told.error, told.completedAt]),
    [[scene.id, 'failed', before.phase, reason, completedAt]],
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
    test(`while it is ${stage} has failed whole or not at all, wherever its end is cut off`, async () => {
      const places = (['before', 'after'] as const).flatMap((when) => effects[stage].map((at) => ({ at, when })));
      for (const { at, when } of places) {
        const scene = await createRestoreAt(stage);
        const before = restoreOf(scene.id);
        const machine = new CrashingMachine(at, when).attach(scene.world);
        await fail(scene).catch(() => undefined);
        ok(machine.isDead);
        isWhole(scene, before);
        new CrashingMachine().attach(scene.world);
        await fail(scene);
        equal(restoreOf(scene.id).status, 'failed');
        isWhole(scene, before);
      }
    });

  test('before it wrote anything cannot be taken back; after that it can for 7 days', async () => {
    const early = await createRestoreAt('checking');
    await fail(early);
    equal(restoreOf(early.id).undoUntil, null);
    const scene = await createRestoreAt('sealed');
    await fail(scene);
    const { undoUntil, completedAt, journal } = restoreOf(scene.id);
    equal(undoUntil, iso(later(new Date(completedAt!), undoSeconds)));
    equal(backupOf(journal.backupId).expiresAt, undoUntil);
  });

  test('twice, at once and by many, fails once', async () => {
    const scene = await createRestoreAt('sealed');
    const before = restoreOf(scene.id);
    await Promise.all([1, 2, 3].map(() => fail(scene)));
    await fail(scene, { ...reason, message: 'another' });
    isWhole(scene, before);
  });

  test('in the moment it is sealed keeps its safety backup', async () => {
    const scene = await createRestoreAt('checking');
    const writes = sealingWrites(scene.id, true, iso(scene.world.engine.clock.now()));
    let sealing: Promise<void> | undefined;
    const failing = failRestore({
      tenant,
      restoreJobId: scene.id,
      attempt: 1,
      reasonOf: () => {
        sealing ??= commit(writes);
        return reason;
      },
      now: scene.world.engine.clock.now(),
    });
    await failing;
    await sealing;
    const { safetyBackupId, undoUntil, status } = restoreOf(scene.id);
    deepEqual([status, safetyBackupId !== undefined, undoUntil !== null], ['failed', true, true]);
    assertReleased(scene);
  });

  test('keeps what the reaper needs to clean up after it', async () => {
    const scene = await createRestoreAt('checking');
    await fail(scene);
    equal(runningItemOf(scene.id)?.attempt, 1);
  });

  test('leaves the lock of another job alone', async () => {
    const scene = await createRestoreAt('checking');
    table.put({ ...lockOf(targetId)!, jobId: 'another' });
    await fail(scene);
    deepEqual([restoreOf(scene.id).status, lockOf(targetId)?.jobId], ['failed', 'another']);
  });

  test('fails without its target, its backup, its destination and its organization', async () => {
    const scene = await createRestoreAt('sealed');
    const keys = [
      projectKey.project(tenant, targetId),
      organizationKey.storageDestination(tenant, destinationId),
      organizationKey.organization(tenant),
    ];
    await commit(keys.map((remove) => ({ remove })));
    await commit([{ remove: { pk: backupOf(scene.backupId).pk, sk: backupOf(scene.backupId).sk } }]);
    for (const code of ['SOURCE_AUTH_ERROR', 'STORAGE_UPLOAD_ERROR'] as const) {
      await fail(scene, { code, message: 'no' });
      equal(restoreOf(scene.id).error?.code, 'SOURCE_AUTH_ERROR');
    }
    equal(lockOf(targetId), undefined);
  });
});

describe('a restore that has ended', () => {
  for (const status of ['completed', 'cancelled'] as const)
    test(`as ${status} stays so`, async () => {
      const scene = await createRestoreAt('sealed');
      await endRestore(scene, status);
      const before = restoreOf(scene.id);
      await fail(scene);
      deepEqual([restoreOf(scene.id), toldOf()], [before, []]);
    });

  test('and was resumed does not fail of what its last attempt failed of', async () => {
    const scene = await createRestoreAt('sealed');
    await fail(scene, reason, 1);
    resumeNow(scene.id);
    await fail(scene, reason, 1);
    deepEqual([restoreOf(scene.id).status, toldOf().length, lockOf(targetId)?.jobId], ['pending', 1, scene.id]);
    await fail(scene, reason, 2);
    deepEqual([restoreOf(scene.id).status, toldOf().length], ['failed', 2]);
  });

  test('as completed has freed its target and both backups; with the lock of another it does not complete', async () => {
    const scene = await createRestoreAt('sealed');
    await endRestore(scene, 'completed');
    assertReleased(scene);
    const lost = await createRestoreAt('sealed');
    table.put({ ...lockOf(targetId)!, jobId: 'another' });
    await endRestore(lost, 'completed').catch(() => undefined);
    deepEqual([restoreOf(lost.id).status, backupOf(lost.backupId).restoring], ['running', 1]);
  });

  test('as cancelled keeps the target and both backups, as long as somebody may still write', async () => {
    const scene = await createRestoreAt('sealed');
    await endRestore(scene, 'cancelled');
    const { undoUntil, journal } = restoreOf(scene.id);
    const [backup, safety] = [backupOf(scene.backupId), backupOf(journal.backupId)];
    deepEqual([lockOf(targetId)?.jobId, backup.restoring, safety.restoring], [scene.id, 1, 1]);
    deepEqual([undoUntil !== null, safety.expiresAt], [true, undoUntil]);
  });
});

describe('what failed', () => {
  test('a store that takes nothing: the destination of the journal is marked, and told of', async () => {
    const scene = await createRestoreAt('checking');
    await fail(scene, { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' });
    const { status } = table.get<DestinationRecord>(organizationKey.storageDestination(tenant, destinationId))!;
    deepEqual([status, eventsOf('storage.error').length], ['error', 1]);
  });

  test('access to the target: the target waits to be reconnected, the project of the backup does not', async () => {
    const scene = await createRestoreAt('checking');
    await fail(scene, { code: 'SOURCE_AUTH_ERROR', message: 'The grant was revoked' });
    const status = (id: string) => table.get<ProjectRecord>(projectKey.project(tenant, id))?.status;
    deepEqual([status(targetId), status(projectId)], ['unauthorized', 'connected']);
  });

  test('a write that the target refuses: its access is as it was', async () => {
    const scene = await createRestoreAt('sealed');
    await fail(scene, { code: 'TARGET_PERMISSION_DENIED', message: 'no' });
    equal(table.get<ProjectRecord>(projectKey.project(tenant, targetId))?.status, 'connected');
  });
});

test('the reason is what a step told, else what the last try stumbled over, else that it took too long, else ours', async () => {
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
