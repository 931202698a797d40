/** The captured changes of a project as the material of a backup that reads nothing from the source. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { after, commit, isConflict, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { isInMove } from '../../project/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  type CapturedMoment,
  type ChangeSource,
  type DocumentChange,
  isPlanned,
} from '../../stored-backup/index.ts';
import { ChangeBatchReader } from '../batch/change-batch-reader.ts';
import { loadCycleContext, readPitr } from '../model/cycle-context.ts';
import { microsOf } from '../model/micro-time.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { latestChanges } from '../point/latest-changes.ts';
import { PointNotCovered } from '../point/missing-coverage.ts';
import { type PointPlan, planPoint } from '../point/plan-point.ts';
import { readAuditedSince } from '../point/read-audited-since.ts';
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
    // By the clock of the source, which captures have, too.
    const wanted = microsOf(backup.sourceSeenAt ?? backup.startedAt ?? backup.createdAt);
    const until = after(deps.clock.now(), waitSeconds);
    for (let hurried: number | undefined; ; ) {
      const pitr = await readPitr(tenant, projectId);
      if (pitr?.status !== 'active') return { reason: 'the capture of changes was stopped' };
      const found = await momentIn(tenant, { pitr, wanted, now: deps.clock.now() });
      if (found && 'reason' in found) return found;
      if (found) return momentOfPlan(tenant, found.plan, deps);
      if (deps.clock.now() >= until)
        return {
          reason: `the changes up to the start of the backup were not captured and counted within ${waitSeconds} seconds`,
        };
      if (hurried !== pitr.turn) await hurryCapture(tenant, pitr, deps.clock.now());
      hurried = pitr.turn;
      await wait(signal);
    }
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
const hurryCapture = async (
  tenant: Tenant,
  { projectId, turn, nextTurnAt, putOffs = 0 }: PitrRecord,
  now: Date,
): Promise<void> => {
  const cycle = await loadCycleContext(tenant, projectId);
  if (cycle?.pitr.turn !== turn || nextTurnAt === null) return;
  // A cycle that has failed keeps its delay: repeated at once, it would fail and be billed again and again.
  const isEarlier = nextTurnAt > iso(now) && putOffs === 0;
  const wish = {
    countRequestedAt: iso(now),
    isCountUrgent: true,
    ...(isEarlier && { nextTurnAt: iso(now) }),
  } as const;
  try {
    await commit([
      set(pitrKey.pitr(tenant, projectId), wish, {
        expected: { turn, status: cycle.pitr.status },
        onConditionFailed: () => new StaleReadError(),
      }),
      ...(isContinuous(cycle) || putOffs > 0 ? [] : [enqueue(tenant, { kind: 'capture', projectId, turn }, now)]),
    ]);
  } catch (error) {
    // Another cycle has begun.
    if (!(error instanceof StaleReadError) && !isConflict(error)) throw error;
  }
};

const momentOfPlan = (tenant: Tenant, plan: PointPlan, deps: BackupDeps): CapturedMoment => {
  const { base, point, batches } = plan;
  if (!isPlanned(base)) throw new Error(`the base ${base.id} has no read time`);
  const changes = batches.reduce((sum, one) => sum + one.changes, 0);
  const [correctedFrom] = batches.flatMap(({ asOf = [] }) => asOf);
  return {
    correctedFrom,
    base,
    moment: point.moment,
    auditedSince: (origin) => readAuditedSince(tenant, origin, point.moment),
    changes,
    readChanges: () => changesOf(tenant, plan, deps),
  };
};

async function* changesOf(
  tenant: Tenant,
  { point, batches }: PointPlan,
  deps: BackupDeps,
): AsyncGenerator<DocumentChange, void, undefined> {
  const reader = new ChangeBatchReader(tenant, deps);
  try {
    yield* latestChanges({ read: () => reader.read(batches), after: point.base.readTime, upTo: point.moment });
  } finally {
    reader.close();
  }
}
