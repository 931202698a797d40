/** The captured changes of a project as the material of a backup that reads nothing from the source. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { after, commit, isConflict, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { isInMove } from '../../project/index.ts';
import {
  archiveRanges,
  type BackupDeps,
  type BackupRecord,
  type CapturedMoment,
  type ChangeSource,
  type DocumentChange,
  isPlanned,
  openRawArchive,
} from '../../stored-backup/index.ts';
import { ChangeBatchReader } from '../batch/change-batch-reader.ts';
import { loadCycleContext, readPitr } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { latestChanges } from '../point/latest-changes.ts';
import { mergeChanges } from '../point/merge-changes.ts';
import { PointNotCovered } from '../point/missing-coverage.ts';
import { loadRestorePoint, type PointPlan, planPoint } from '../point/plan-point.ts';
import { isContinuous } from './capture-mode.ts';

/** A capture that is asked for takes seconds; one that listens looks for the wish every 20 s. */
const waitSeconds = 90;
const pollMs = 1_000;

/** `wait` lets a second pass. */
export const changesAfter = (wait: (signal: AbortSignal) => Promise<unknown>): ChangeSource => ({
  async findMoment(tenant, { backup, deps, signal }) {
    const { projectId } = backup;
    const first = await readPitr(tenant, projectId);
    if (!first || first.status === 'disabled') return undefined;
    const refusal = whyNeverBuilt(backup, first);
    if (refusal !== undefined) return { reason: refusal };
    const wanted = microsOf(backup.startedAt ?? backup.createdAt);
    const until = after(deps.clock.now(), waitSeconds);
    for (let hurried: number | undefined; ; ) {
      const pitr = await readPitr(tenant, projectId);
      if (pitr?.status !== 'active') return { reason: 'the capture of changes was stopped' };
      const found = await momentIn(tenant, { pitr, wanted, now: deps.clock.now() });
      if (found && 'reason' in found) return found;
      if (found) return countDocuments(tenant, found.plan, deps);
      if (deps.clock.now() >= until)
        return {
          reason: `the changes up to the start of the backup were not captured and counted within ${waitSeconds} seconds`,
        };
      if (hurried !== pitr.turn) await hurryCapture(tenant, pitr, deps.clock.now());
      hurried = pitr.turn;
      await wait(signal);
    }
  },

  async *readChanges(tenant, { backup, range, root, deps }) {
    const { projectId, readTime, buildBase } = backup;
    if (!buildBase) throw new Error(`the backup ${backup.id} is not built from changes`);
    const plan = await loadRestorePoint(tenant, projectId, {
      moment: readTime,
      base: { ...buildBase, since: buildBase.readTime },
      isPartial: false,
    });
    const [within = {}] = archiveRanges({ documentsRoot: root }, [range]);
    yield* changesOf(tenant, { plan, deps, within });
  },
});

export const capturedChanges = changesAfter((signal) => pause(pollMs, undefined, { signal }));

/** Reasons that waiting does not remove. */
const whyNeverBuilt = ({ collections, excludedCollections }: BackupRecord, { status }: PitrRecord): string | undefined => {
  if (collections.length !== 1 || collections[0] !== '*' || excludedCollections.length > 0)
    return 'only a backup of all collections can be built from captured changes';
  return status === 'starting' ? 'the capture of changes waits for its base backup' : undefined;
};

/** Undefined if a later capture may prove a moment. */
const momentIn = async (
  tenant: Tenant,
  { pitr, wanted, now }: { readonly pitr: PitrRecord; readonly wanted: number; readonly now: Date },
): Promise<{ readonly plan: PointPlan } | { readonly reason: string } | undefined> => {
  const { projectId, capturedTo } = pitr;
  if (capturedTo === null || microsOf(capturedTo) < wanted) return undefined;
  try {
    const plan = await planPoint(tenant, { projectId, request: { pointInTime: capturedTo, isExact: true }, now });
    if (isInMove(plan.base) || plan.base.damagedDepth !== undefined)
      return { reason: `the base backup ${plan.base.id} is damaged, or being moved` };
    return microsOf(plan.point.moment) < wanted ? undefined : { plan };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof PointNotCovered) return error.isUncounted ? undefined : { reason: String(error.details?.reason) };
    return { reason: error.message };
  }
};

/** The next cycle begins at once, and counts. A worker that listens ends its cycle when it sees that. */
const hurryCapture = async (tenant: Tenant, { projectId, turn, nextTurnAt }: PitrRecord, now: Date): Promise<void> => {
  const cycle = await loadCycleContext(tenant, projectId);
  if (cycle?.pitr.turn !== turn || nextTurnAt === null) return;
  const wish = {
    countRequestedAt: iso(now),
    isCountUrgent: true,
    ...(nextTurnAt > iso(now) && { nextTurnAt: iso(now) }),
  } as const;
  try {
    await commit([
      set(pitrKey.pitr(tenant, projectId), wish, {
        expected: { turn, status: cycle.pitr.status },
        onConditionFailed: () => new StaleReadError(),
      }),
      ...(isContinuous(cycle) ? [] : [enqueue(tenant, { kind: 'capture', projectId, turn }, now)]),
    ]);
  } catch (error) {
    // Another cycle has begun.
    if (!(error instanceof StaleReadError) && !isConflict(error)) throw error;
  }
};

/** Reads every batch: one that is lost or damaged rules the moment out before anything is written. */
const countDocuments = async (
  tenant: Tenant,
  plan: PointPlan,
  deps: BackupDeps,
): Promise<CapturedMoment | { readonly reason: string }> => {
  const { base, point } = plan;
  if (!isPlanned(base)) throw new Error(`the base ${base.id} has no read time`);
  const opened = await openRawArchive(tenant, { backup: base, deps });
  try {
    const nothing = () => undefined;
    const sink = { keepSegment: nothing, keep: nothing, document: nothing, drain: async () => undefined };
    const { added, removed } = await mergeChanges(opened.archive, changesOf(tenant, { plan, deps }), sink);
    return { base, moment: point.moment, documents: opened.archive.manifest.counts.documents + added - removed };
  } finally {
    opened.close();
  }
};

async function* changesOf(
  tenant: Tenant,
  {
    plan: { point, batches },
    deps,
    within,
  }: {
    readonly plan: PointPlan;
    readonly deps: BackupDeps;
    readonly within?: { readonly from?: Uint8Array | undefined; readonly to?: Uint8Array | undefined };
  },
): AsyncGenerator<DocumentChange, void, undefined> {
  const reader = new ChangeBatchReader(tenant, deps);
  try {
    yield* latestChanges({
      read: () => reader.read(batches),
      after: point.base.readTime,
      upTo: point.moment,
      ...(within && { within }),
    });
  } finally {
    reader.close();
  }
}
