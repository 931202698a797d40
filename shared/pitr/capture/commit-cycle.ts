/** The one transaction that ends a turn: what was captured, where to go on, and what is told of it. */
import { retentionNote } from '../../backup/index.ts';
import { commit, emitMetric, iso, type Write } from '../../platform/index.ts';
import { holdBase } from '../base/base-backup.ts';
import { type BaseRefresh, isUndiscovered } from '../base/refresh-base.ts';
import { nameOf } from '../batch/batch-chain.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/cycle-end.ts';
import { fieldsAfterCommit } from '../model/failure-backoff.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, type Gap, type PitrRecord, pitrKey } from '../model/record.ts';
import { shownIds } from '../model/resume-position.ts';
import { tokenWrites } from '../model/resume-token-items.ts';
import { widened, withGaps } from '../timeline/gaps.ts';
import { withSampled } from '../timeline/sampled-periods.ts';
import { changeEvent, gapWrites } from '../view/pitr-events.ts';
import type { Captured } from './conclude-cycle.ts';
import { newReadBudget, type ReadBudget, remainingLookups, spentFields } from './read-budget.ts';

export interface CycleResult {
  readonly captured: Captured;
  readonly refresh: BaseRefresh;
  /** Where the batch is, if there is one. */
  readonly batchId: string;
  readonly path: string;
  readonly keyBackupId: string;
  readonly budget: ReadBudget;
  readonly delaySeconds: number;
}

export const commitCycle = async (cycle: CycleContext, saved: CycleResult, now: Date): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const { captured, refresh, delaySeconds } = saved;
  const from = pitr.capturedTo ?? '';
  const to = momentOf(captured.to);
  const told = { count: captured.changes, from: microsOf(from), to: captured.to, collections: captured.collections };
  const opened = [...refresh.opened.map((gap): Gap => ({ to, ...gap })), ...gapsOf(cycle, saved)].map(widened);
  const { writes: tokens, tokenItems } = tokenWrites(tenant, pitr, captured.positions);
  // Once an hour: what follows until then is the same again.
  const isTold = ({ isBridged }: Gap): boolean => !isBridged || remainingLookups(pitr, newReadBudget(), now) !== undefined;
  const changed: Partial<PitrRecord> = {
    ...fieldsAfterCommit(pitr),
    ...refresh.changed,
    bases: refresh.base ? [...pitr.bases, { ...refresh.base, since: to }] : pitr.bases,
    ...checkOf(captured),
    gaps: withGaps(gapsAfter(saved), ...opened),
    ...(pitr.precision === 'second' && captured.unobserved && { sampled: withSampled(pitr, captured.unobserved) }),
    capturedTo: to,
    ...(captured.chunk && { lastBatch: nameOf({ to, id: saved.batchId }) }),
    listedAt: to,
    lastCapture: { at: iso(now), changes: captured.changes, reads: saved.budget.reads },
    changesCaptured: pitr.changesCaptured + captured.changes,
    bytesSinceBase: (refresh.changed.bytesSinceBase ?? pitr.bytesSinceBase ?? 0) + (captured.chunk?.size ?? 0),
    ...spentFields(pitr, saved.budget, now),
    tokenItems,
  };
  await commit([
    endCycle(cycle, changed, now, delaySeconds),
    ...tokens,
    ...(refresh.base ? [holdBase(tenant, refresh.base.backupId)] : []),
    // One that was asked for and cannot be used is like any other backup from now on.
    ...(refresh.changed.comingBaseId === null && !refresh.base ? [retentionNote(tenant, now)] : []),
    ...batchWrites(cycle, saved),
    ...(captured.chunk ? [changeEvent(cycle, told, now)] : []),
    ...opened.filter(isTold).flatMap((gap) => gapWrites(cycle, gap, told, now)),
  ]);
  emitMetric('a turn was captured', {
    ChangesCaptured: captured.changes,
    ChangesRead: saved.budget.reads,
    ChangesStored: captured.chunk?.size ?? 0,
    CaptureDelay: now.getTime() / 1_000 - captured.to / 1_000_000,
  });
  return nextCycle(cycle, delaySeconds);
};

/** What was counted, if it was, and the collections that are known: they are named where windows do not hold for all. */
const checkOf = ({ coverage: { verdict, isTried }, positions, to }: Captured): Partial<PitrRecord> => ({
  ...(verdict === 'whole' && { checkedAt: momentOf(to) }),
  ...(isTried && { checkTriedAt: momentOf(to) }),
  known: shownIds(positions),
});

/** What was looked for is over once the numbers fit: it was found, and has a gap of its own, or it is gone. */
const gapsAfter = ({ captured, refresh: { gaps, found } }: CycleResult): readonly Gap[] => {
  if (captured.coverage.verdict !== 'whole') return gaps;
  return gaps.flatMap((gap) => (!isUndiscovered(gap) ? [gap] : found.length > 0 ? [] : [{ ...gap, to: momentOf(captured.to) }]));
};

/** Collections that a batch names at most: each id may have 1,500 bytes. */
const collectionsMax = 100;

const batchWrites = (
  { tenant, pitr }: CycleContext,
  { captured, batchId, path, keyBackupId, budget }: CycleResult,
): readonly Write[] => {
  const { chunk, changes, isProven, collections } = captured;
  const { reads } = budget;
  if (!chunk) return [];
  const to = momentOf(captured.to);
  const batch: BatchRecord = {
    ...pitrKey.batch(tenant, pitr.projectId, to, batchId),
    id: batchId,
    previous: pitr.lastBatch ?? null,
    from: pitr.capturedTo ?? to,
    to,
    isProven,
    ...(!isProven && { heardTo: heardTo(captured) }),
    path,
    storageDestinationId: pitr.storageDestination.id,
    keyBackupId,
    ...{ chunk, changes, reads },
    collections: JSON.stringify(collections.slice(0, collectionsMax)),
  };
  return [{ put: batch }, { remove: pitrKey.upload(tenant, pitr.projectId, batchId), condition: 'attribute_exists(pk)' }];
};

/** As far as any collection was heard. */
const heardTo = ({ positions, to }: Captured): string =>
  momentOf(positions.reduce((furthest, position) => Math.max(furthest, position.to), to));

/** What this turn could not know: seconds between, and collections that nobody listened to before. */
const gapsOf = ({ pitr }: CycleContext, { captured, refresh }: CycleResult): readonly Gap[] => {
  const { isProven, uncovered, chunk, to, coverage } = captured;
  const from = pitr.capturedTo ?? '';
  const checkedAt = refresh.changed.checkedAt ?? pitr.checkedAt ?? pitr.bases.at(-1)?.readTime ?? from;
  const between: Gap = {
    from,
    to: heardTo(captured),
    reason: 'more changed than could be looked up for every second; both ends are known',
    isBridged: true,
  };
  const deeper: Gap = {
    from: checkedAt,
    to: null,
    reason: 'documents were below others before the collection was at the root',
    collections: uncovered,
    heardFrom: from,
  };
  const unknown: Gap = {
    from: checkedAt,
    to: null,
    reason: 'the source has more documents than the collections that are known: others lie below documents',
    collections: [],
    heardFrom: momentOf(to),
  };
  return [
    ...(pitr.precision === 'second' && chunk && !isProven ? [between] : []),
    ...(uncovered.length > 0 ? [deeper] : []),
    ...(coverage.verdict === 'unknown' && !refresh.gaps.some(isUndiscovered) ? [unknown] : []),
  ];
};
