/** The last step: accounts for every document of the plan, and completes the restore or fails it. */
import { assertOrganizationActive, JobEndedError, JobFailure, phaseEntry } from '../../job/index.ts';
import { bestEffort, commit, emitMetric, get, retryOnConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { readProject, regainedAccessWrites } from '../../project/index.ts';
import { cleanUpRestore } from '../end/clean-up-restore.ts';
import { emitRestoreEvent } from '../model/emit-restore-event.ts';
import { restoreProgressEvents } from '../model/progress-events.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import { readShards } from '../model/reopen-shards.ts';
import { restoreAudit } from '../model/restore-audit.ts';
import { endFields, endRestoreWrites, loadEndContext, type RestoreEndContext } from '../model/restore-end-context.ts';
import { restoreData } from '../model/restore-view.ts';
import { assertSameAttempt, loadRunning, type RestoreAttempt, updateRunning } from '../model/running-restore.ts';
import { countMismatch, sumCounts, sumShards, touchedCount } from '../model/shard-totals.ts';
import type { RestoreDeps } from '../restore-deps.ts';

const conflictRetry = { attempts: 8, jitterMs: 200 };

/** Completes the restore if it still runs and holds the target's lock; throws COUNT_MISMATCH if the counts do not add up. */
export const finishRestore = async (step: RestoreAttempt, deps: RestoreDeps): Promise<void> => {
  const { tenant, restoreJobId, attempt } = step;
  // A repeated run finds the restore completed.
  if ((await get(restoreKey.restore(tenant, restoreJobId)))?.status !== 'completed') {
    const { restore } = await loadRunning(step);
    await account(tenant, restore, deps.clock.now());
    await complete(step, deps);
  }
  // The reaper retries a destination that does not answer.
  await bestEffort(`clean up after ${restoreJobId}`, cleanUpRestore(tenant, { restoreJobId, deps, options: { attempt } }));
};

/** Records the outcome first, so that a restore that fails here shows what it did. */
const account = async (tenant: Tenant, restore: RestoreRecord, now: Date): Promise<void> => {
  const { id, attempt } = restore;
  if (!restore.plan) throw new JobFailure('INTERNAL_ERROR', 'The restore has no plan');
  const append = { timeline: [phaseEntry('Finalizing', now)] };
  if (restore.dryRun) return commit([updateRunning(tenant, id, { set: { phase: 'Finalizing' }, append, expected: { attempt } })]);
  // Earlier attempts may have left shards with higher numbers.
  const shards = (await readShards(tenant, id)).filter(({ number }) => number < (restore.shards ?? 0));
  const documents = sumShards(shards.filter(({ range }) => range !== undefined));
  const users = sumShards(shards.filter(({ range }) => range === undefined));
  await commit([
    updateRunning(tenant, id, {
      set: {
        phase: 'Finalizing',
        ...sumCounts([documents]),
        failures: [...documents.failures, ...users.failures].slice(0, failuresMax),
        collectionsRestored: countCollections(shards),
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
      append,
      expected: { attempt },
    }),
  ]);
  if (documents.planned !== touchedCount(restore.plan))
    throw new JobFailure('COUNT_MISMATCH', 'The plan differs from the sum of its shards', {
      planned: touchedCount(restore.plan),
      accounted: documents.planned,
    });
  const mismatch = countMismatch(documents) ?? countMismatch(users, 'users');
  if (mismatch) throw mismatch;
};

const failuresMax = 100;

const countCollections = (shards: readonly RestoreShardRecord[]): number =>
  new Set(shards.flatMap(({ collections }) => JSON.parse(collections) as readonly string[])).size;

const complete = ({ tenant, restoreJobId, attempt }: RestoreAttempt, { clock, random }: RestoreDeps): Promise<void> =>
  retryOnConflict({ ...conflictRetry, random }, async () => {
    const context = await loadEndContext(tenant, restoreJobId);
    if (!context) throw new JobEndedError('gone');
    const { restore } = context;
    if (restore.status === 'completed') return;
    assertSameAttempt(restore, attempt);
    const now = clock.now();
    await commit(await completionWrites(tenant, context, now));
    if (restore.dryRun) return;
    emitMetric('a restore was completed', {
      RestoresCompleted: 1,
      DocumentsRestored: restoreData(restore).documentsRestored,
      RestoreDuration: (now.getTime() - Date.parse(restore.createdAt)) / 1_000,
    });
  });

const completionWrites = async (tenant: Tenant, endContext: RestoreEndContext, now: Date): Promise<readonly Write[]> => {
  const { restore, project, job } = endContext;
  const { id, toldPercent, undoOf, attempt } = restore;
  const organization = assertOrganizationActive(endContext.organization);
  const target = endContext.target ?? (await readProject(tenant, restore.targetProjectId));
  const ended = { status: 'completed', phase: 'Completed', ...endFields(endContext, now) } as const;
  const completed: RestoreRecord = { ...restore, ...ended };
  const context = { tenant, organization, project, target };
  const { writes: progress } = restoreProgressEvents(context, completed, now);
  const {
    documentsRestored,
    documentsDeleted,
    documentsSkipped,
    documentsErased,
    notFoundCount,
    unknownCollectionsCount,
    findingsCount,
    transform,
  } = restoreData(completed);
  const details = {
    documentsRestored,
    documentsDeleted,
    documentsSkipped,
    documentsErased,
    notFoundCount,
    unknownCollectionsCount,
    ...(findingsCount > 0 && { findingsCount }),
    ...(transform && { transform }),
  };
  return [
    updateRunning(tenant, id, { set: { ...ended, toldPercent: 100 }, expected: { toldPercent, attempt } }),
    ...endRestoreWrites(tenant, endContext, { status: 'completed', now }),
    ...(restore.dryRun ? [] : await markUndone(tenant, undoOf, id)),
    ...(job ? await regainedAccessWrites(tenant, target, { since: job.since, now }) : []),
    ...progress,
    ...emitRestoreEvent(context, completed, { name: 'restore.completed', now }),
    restoreAudit(tenant, { action: 'restore.completed', restore: completed, details, now }),
  ];
};

/** Marks the undone restore, unless its record is gone. If that one was an undo itself, the restore it undid is in effect again. */
const markUndone = async (tenant: Tenant, undoOf: string | null, undoneBy: string): Promise<readonly Write[]> => {
  const read = async (id: string | null): Promise<RestoreRecord | undefined> =>
    id === null ? undefined : await get(restoreKey.restore(tenant, id));
  const undone = await read(undoOf);
  if (!undone) return [];
  const earlier = await read(undone.undoOf);
  return [
    set(restoreKey.restore(tenant, undone.id), { undoneBy }),
    ...(earlier?.undoneBy === undone.id ? [set(restoreKey.restore(tenant, earlier.id), { undoneBy: null })] : []),
  ];
};
