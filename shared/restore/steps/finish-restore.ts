/** The last step: every document of the plan is accounted for, or the restore has failed. */
import { setTimeout as pause } from 'node:timers/promises';
import { assertOrganizationActive, JobEndedError, JobFailure } from '../../job/index.ts';
import { bestEffort, commit, emitMetric, get, isConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { cleanUpRestore } from '../end/clean-up-restore.ts';
import { sumShards, countMismatch, touchedCount } from '../model/reconcile-counts.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import { endFields, endRestoreWrites, loadEndContext, type RestoreEndContext } from '../model/release-holds.ts';
import { readShards } from '../model/reopen-shards.ts';
import { restoreAudit } from '../model/restore-audit.ts';
import { emitRestoreEvent } from '../model/restore-events.ts';
import { progressEvents } from '../model/restore-progress-events.ts';
import { restoreData, restoreEvent } from '../model/restore-view.ts';
import { updateRunning, loadRunning, assertSameAttempt } from '../model/running-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';

const triesMax = 8;
const clashMs = 200;

/**
 * Completes the restore, or throws COUNT_MISMATCH. What is true of a completed one becomes true at once, if it still runs and
 * still has its target's lock: one that was cancelled or given up meanwhile completes nothing.
 */
export const finishRestore = async (
  tenant: Tenant,
  restoreJobId: string,
  engine: RestoreDeps,
  attempt?: number,
): Promise<void> => {
  const isCompleted = await isCompletedAlready(tenant, restoreJobId);
  if (!isCompleted) {
    const { restore } = await loadRunning(tenant, restoreJobId, attempt);
    await account(tenant, restore);
    await complete(tenant, restore, engine);
  }
  // A destination that does not answer now is asked again by the reaper.
  await bestEffort(`clean up after ${restoreJobId}`, cleanUpRestore(tenant, restoreJobId, engine, { attempt }));
};

/** Another run of this step, or this one whose answer was lost. */
const isCompletedAlready = async (tenant: Tenant, id: string): Promise<boolean> => {
  const restore = await get(restoreKey.restore(tenant, id));
  return restore?.status === 'completed';
};

/** Writes down what became of everything, first, so that a restore that fails here says what it did. */
const account = async (tenant: Tenant, restore: RestoreRecord): Promise<void> => {
  const { id, attempt } = restore;
  if (!restore.plan) throw new JobFailure('INTERNAL_ERROR', 'The restore has no plan');
  if (restore.dryRun) return commit([updateRunning(tenant, id, { set: { phase: 'Finalizing' }, expected: { attempt } })]);
  // Attempts that were given up have left theirs.
  const shards = (await readShards(tenant, id)).filter(({ number }) => number < (restore.shards ?? 0));
  const documents = sumShards(shards.filter(({ range }) => range !== undefined));
  const users = sumShards(shards.filter(({ range }) => range === undefined));
  const { written, deleted, raced, failed } = documents;
  await commit([
    updateRunning(tenant, id, {
      set: {
        phase: 'Finalizing',
        ...{ written, deleted, raced, failed },
        failures: [...documents.failures, ...users.failures].slice(0, failuresMax),
        collectionsRestored: collectionsIn(shards),
        ...(restore.includeAuthUsers && {
          racedUsers: users.raced,
          users: {
            restored: users.written + users.unchanged,
            deleted: users.deleted,
            skipped: users.skip + users.raced,
            failed: users.failed,
          },
        }),
      },
      expected: { attempt },
    }),
  ]);
  if (documents.planned !== touchedCount(restore.plan))
    throw new JobFailure('COUNT_MISMATCH', 'What was planned is not what the shards were to write', {
      planned: touchedCount(restore.plan),
      accounted: documents.planned,
    });
  const short = countMismatch(documents) ?? countMismatch(users, 'users');
  if (short) throw short;
};

const failuresMax = 100;

const collectionsIn = (shards: readonly RestoreShardRecord[]): number =>
  new Set(shards.flatMap(({ collections }) => JSON.parse(collections) as readonly string[])).size;

const complete = async (tenant: Tenant, { id, attempt }: RestoreRecord, { clock, random }: RestoreDeps): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const around = await loadEndContext(tenant, id);
    if (!around) throw new JobEndedError('gone');
    if (around.restore.status === 'completed') return;
    assertSameAttempt(around.restore, attempt);
    const now = clock.now();
    try {
      await commit(await writesOf(tenant, around, now));
      if (around.restore.dryRun) return;
      return emitMetric('a restore was completed', {
        RestoresCompleted: 1,
        DocumentsRestored: restoreData(around.restore).documentsRestored,
        RestoreDuration: (now.getTime() - Date.parse(around.restore.createdAt)) / 1_000,
      });
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(random() * clashMs);
    }
  }
};

const writesOf = async (tenant: Tenant, around: RestoreEndContext, now: Date): Promise<readonly Write[]> => {
  const { restore, project } = around;
  const { id, toldPercent, undoOf, attempt } = restore;
  const organization = assertOrganizationActive(around.organization);
  const target = around.target ?? (await readProject(tenant, restore.targetProjectId));
  const completed = { status: 'completed', phase: 'Completed', ...endFields(around, now) } as const;
  const whole: RestoreRecord = { ...restore, ...completed };
  const parties = { tenant, organization, project, target };
  const { writes: progress } = progressEvents(parties, whole, now);
  const { documentsRestored, documentsDeleted, documentsSkipped } = restoreData(whole);
  return [
    updateRunning(tenant, id, { set: { ...completed, toldPercent: 100 }, expected: { toldPercent, attempt } }),
    ...endRestoreWrites(tenant, around, 'completed', now),
    ...(await undone(tenant, undoOf, id)),
    ...progress,
    ...emitRestoreEvent(tenant, restore, 'restore.completed', restoreEvent(whole, parties, organization), now),
    restoreAudit(tenant, 'restore.completed', whole, { documentsRestored, documentsDeleted, documentsSkipped }, now),
  ];
};

/** The restore that was taken back says so, unless its record is gone; one that it had taken back itself is in effect again. */
const undone = async (tenant: Tenant, undoOf: string | null, undoneBy: string): Promise<readonly Write[]> => {
  const read = async (id: string | null): Promise<RestoreRecord | undefined> =>
    id === null ? undefined : await get(restoreKey.restore(tenant, id));
  const taken = await read(undoOf);
  if (!taken) return [];
  const earlier = await read(taken.undoOf);
  return [
    set(restoreKey.restore(tenant, taken.id), { undoneBy }),
    ...(earlier?.undoneBy === taken.id ? [set(restoreKey.restore(tenant, earlier.id), { undoneBy: null })] : []),
  ];
};
