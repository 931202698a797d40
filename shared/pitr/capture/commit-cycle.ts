/** The one transaction that ends a cycle: the batch, the resume positions, events and audit entries. */

import { enqueue } from '../../event/index.ts';
import { commit, emitMetric, iso, remove, type Write } from '../../platform/index.ts';
import { addReads, projectReadPrice } from '../../project/index.ts';
import { captureWrites, markRetentionDue } from '../../stored-backup/index.ts';
import { holdBase } from '../base/base-backup.ts';
import { type BaseRefresh, isUndiscovered } from '../base/refresh-base.ts';
import { batchNameOf } from '../batch/batch-chain.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/end-cycle.ts';
import { fieldsAfterCommit } from '../model/failure-backoff.ts';
import { lastSecondBefore, microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, type Gap, type PitrRecord, pitrKey } from '../model/record.ts';
import { shownIds } from '../model/resume-position.ts';
import { tokenWrites } from '../model/resume-token-items.ts';
import { storeGap } from '../timeline/gap-lists.ts';
import { withGaps } from '../timeline/gaps.ts';
import { withPeriods } from '../timeline/sampled-periods.ts';
import { changeEvent, gapWrites } from '../view/pitr-events.ts';
import { isEverySecondWanted } from './capture-mode.ts';
import type { Captured } from './conclude-cycle.ts';
import type { ProvenAgain } from './prove-again.ts';
import { newReadBudget, type ReadBudget, readsOf, remainingLookups, spentFields } from './read-budget.ts';

interface CycleResult {
  readonly captured: Captured;
  readonly provenAgain: ProvenAgain | undefined;
  readonly refresh: BaseRefresh;
  /** The batch, if anything changed. */
  readonly batchId: string;
  readonly path: string;
  readonly keyBackupId: string;
  readonly budget: ReadBudget;
  readonly delaySeconds: number;
}

/** Returns the next cycle, and the gaps that this one opened. */
export const commitCycle = async (
  cycle: CycleContext,
  saved: CycleResult,
  now: Date,
): Promise<{ readonly next: NextCycle; readonly opened: readonly Gap[] }> => {
  const { tenant, pitr } = cycle;
  const { captured, provenAgain, refresh, delaySeconds } = saved;
  const from = pitr.capturedTo ?? '';
  const to = momentOf(captured.to);
  const changes = { count: captured.changes, from: microsOf(from), to: captured.to, collections: captured.collections };
  const opened: Gap[] = [];
  for (const gap of [...refresh.opened.map((one): Gap => ({ to, ...one })), ...gapsOf(cycle, saved)])
    opened.push(await storeGap(tenant, { projectId: pitr.projectId, gap, now }));
  const { writes: tokens, tokenItems } = tokenWrites(tenant, pitr, captured.positions);
  // A spent look-up budget is reported once an hour, and too many collections once.
  const isReported = ({ isBridged }: Gap): boolean =>
    !isBridged ||
    (pitr.precision === 'second' &&
      remainingLookups(pitr, newReadBudget(), now) !== undefined &&
      !pitr.gaps.some(isContinuedAt(from)));
  const changed: Partial<PitrRecord> = {
    ...fieldsAfterCommit(pitr),
    ...refresh.changed,
    bases: refresh.base ? [...pitr.bases, { ...refresh.base, since: to }] : pitr.bases,
    ...checkOf(pitr, captured),
    gaps: withGaps(gapsAfter(saved), ...opened),
    sampled: withPeriods(
      pitr.sampled?.filter((one) => one !== provenAgain?.period),
      pitr,
      [...captured.unproven, ...(provenAgain?.unproven ?? [])],
    ),
    // Only a backup that is newer than the last base can follow it.
    interrupted: withPeriods(pitr.interrupted, { keptFrom: pitr.bases.at(-1)?.readTime ?? null }, captured.unobserved),
    capturedTo: to,
    ...(provenAgain?.lastBatch !== undefined && { lastBatch: provenAgain.lastBatch }),
    ...(captured.chunk && { lastBatch: batchNameOf({ to, id: saved.batchId }) }),
    listedAt: to,
    lastCapture: { at: iso(now), changes: captured.changes, reads: saved.budget.reads },
    changesCaptured: pitr.changesCaptured + captured.changes,
    bytesSinceBase: (refresh.changed.bytesSinceBase ?? pitr.bytesSinceBase ?? 0) + (captured.chunk?.size ?? 0),
    ...spentFields(pitr, saved.budget, now),
    tokenItems,
    usdPerMillionReads: projectReadPrice(cycle.project).usdPerMillionChanges,
  };
  const judged = captured.chunk ? await judgementOf(cycle, saved, now) : [];
  await commit([
    ...judged,
    // The audit may have corrected what was captured: the batch must name the last one, and no base may follow that lacks it.
    endCycle(cycle, { changed, now, delaySeconds, expected: { lastBatch: pitr.lastBatch, mustReadBase: pitr.mustReadBase } }),
    ...tokens,
    ...addReads(tenant, { projectId: pitr.projectId, reads: readsOf(saved.budget), now }),
    ...(refresh.base ? [holdBase(tenant, refresh.base.backupId)] : []),
    ...(refresh.isLocked ? [enqueue(tenant, { kind: 'expire-captures', projectId: pitr.projectId }, now)] : []),
    // A requested base that cannot be used becomes an ordinary backup.
    ...(refresh.changed.comingBaseId === null && !refresh.base ? [markRetentionDue(tenant, now)] : []),
    ...(provenAgain?.writes ?? []),
    ...batchWrites(cycle, saved),
    ...(captured.chunk ? [changeEvent(cycle, { changes, now })] : []),
    ...opened.filter(isReported).flatMap((gap) => gapWrites(cycle, { gap, changes, now })),
  ]);
  emitMetric('capture cycle committed', {
    ChangesCaptured: captured.changes,
    ChangesRead: saved.budget.reads,
    ChangesStored: captured.chunk?.size ?? 0,
    CaptureDelay: now.getTime() / 1_000 - captured.to / 1_000_000,
  });
  return { next: nextCycle(cycle, delaySeconds), opened };
};

/** The batch is compared with those before; what is found marks the base that its changes build on. */
const judgementOf = (cycle: CycleContext, { captured, batchId }: CycleResult, now: Date): Promise<readonly Write[]> => {
  const { pitr } = cycle;
  const { to, counts, statistics } = captured;
  const batch = { id: batchId, at: to / 1_000, counts, statistics };
  const baseId = pitr.bases.at(-1)?.backupId;
  return captureWrites(cycle, { batch, from: pitr.capturedTo ?? momentOf(to), to: momentOf(to), baseId }, now);
};

/** The result of the coverage check, and the known collections, which windows name if they do not hold for all. */
const checkOf = (pitr: PitrRecord, { coverage: { verdict, isTried }, positions, to }: Captured): Partial<PitrRecord> => ({
  ...(verdict === 'whole' && { checkedAt: momentOf(to), countSpacingSeconds: spacingAfter(pitr, to) }),
  ...(isTried && { checkTriedAt: momentOf(to), countRequestedAt: undefined, isCountUrgent: undefined }),
  known: shownIds(positions),
  knownCount: positions.length,
});

const spacingAfter = ({ checkedAt, countSpacingSeconds = 0 }: PitrRecord, to: number): number =>
  checkedAt === undefined
    ? countSpacingSeconds
    : Math.max(countSpacingSeconds, Math.ceil((to - microsOf(checkedAt)) / 1_000_000));

/** A gap of unknown collections ends once coverage is complete: they were found and have a gap of their own, or are deleted. */
const gapsAfter = ({ captured, refresh: { gaps, found } }: CycleResult): readonly Gap[] => {
  if (captured.coverage.verdict !== 'whole') return gaps;
  return gaps.flatMap((gap) => (!isUndiscovered(gap) ? [gap] : found.length > 0 ? [] : [{ ...gap, to: momentOf(captured.to) }]));
};

/** Collections that a batch names at most; an id may have 1,500 bytes. */
const collectionsMax = 100;

const batchWrites = (
  { tenant, pitr }: CycleContext,
  { captured, provenAgain, batchId, path, keyBackupId, budget }: CycleResult,
): readonly Write[] => {
  const { chunk, changes, isProven, collections } = captured;
  if (!chunk) return [];
  const to = momentOf(captured.to);
  const batch: BatchRecord = {
    ...pitrKey.batch(tenant, pitr.projectId, { to, id: batchId }),
    id: batchId,
    previous: provenAgain?.lastBatch ?? pitr.lastBatch ?? null,
    from: pitr.capturedTo ?? to,
    to,
    isProven,
    heardTo: isProven ? undefined : heardTo(captured),
    path,
    storageDestinationId: pitr.storageDestination.id,
    keyBackupId,
    chunk,
    changes,
    reads: budget.reads,
    collections: JSON.stringify(collections.slice(0, collectionsMax)),
  };
  return [{ put: batch }, remove(pitrKey.upload(tenant, pitr.projectId, batchId))];
};

/** Whether unknown collections are missing there anyway, or were found meanwhile. */
const isCoveredBy = (
  { from, collections, isAtRoot }: Gap,
  gaps: readonly (Omit<Gap, 'to'> & { readonly to?: string | null })[],
): boolean =>
  collections?.length === 0 &&
  !isAtRoot &&
  gaps.some((gap) => gap.collections !== undefined && !gap.to && microsOf(gap.from) <= microsOf(from));

/** Whether a bridged gap lasts at least up to that moment. */
const isContinuedAt =
  (from: string) =>
  ({ isBridged, to }: Gap): boolean =>
    isBridged === true && to !== null && microsOf(to) >= microsOf(from);

/** The furthest position of any collection. */
const heardTo = ({ positions, to }: Captured): string =>
  momentOf(positions.reduce((furthest, position) => Math.max(furthest, position.to), to));

/** The gaps that this cycle opens: unproven seconds, and collections that were not captured before. */
const gapsOf = (cycle: CycleContext, { captured, refresh }: CycleResult): readonly Gap[] => {
  const { pitr } = cycle;
  const { isProven, uncovered, chunk, to, coverage, unobserved } = captured;
  const from = pitr.capturedTo ?? '';
  const checkedAt = refresh.changed.checkedAt ?? pitr.checkedAt ?? pitr.bases.at(-1)?.readTime ?? from;
  const between: Gap = {
    from,
    to: heardTo(captured),
    reason: isEverySecondWanted(cycle)
      ? 'too many changes to look up every second; both ends are known'
      : 'too many collections to capture every second; both ends are known',
    isBridged: true,
  };
  const deeper: Gap = {
    from: checkedAt,
    to: null,
    reason: 'the collection existed below documents before it existed at the root',
    collections: uncovered,
    heardFrom: from,
    isAtRoot: true,
  };
  const unknown: Gap = {
    from: checkedAt,
    to: null,
    reason: 'the source has documents in unknown collections below documents',
    collections: [],
    heardFrom: momentOf(to),
  };
  const isUnknown = coverage.verdict === 'unknown' && !refresh.gaps.some(isUndiscovered);
  // A batch of its own tells its ends. If nothing changed there is none, and documents may have come and gone.
  const isQuiet = !chunk && unobserved.some(({ from: start, to: end }) => lastSecondBefore(end) > start);
  return [
    ...(pitr.precision === 'second' && chunk && !isProven ? [between] : []),
    ...(isQuiet && !isProven ? [{ ...between, reason: 'nothing changed from one capture to the next', isQuiet } as const] : []),
    ...(uncovered.length > 0 ? [deeper] : []),
    ...captured.unprovenGaps.filter(
      (gap) => !isCoveredBy(gap, [...refresh.gaps, ...refresh.opened, ...(isUnknown ? [unknown] : [])]),
    ),
    ...(isUnknown ? [unknown] : []),
  ];
};
