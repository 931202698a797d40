/** Compares the next documents of a project with what was captured of them, as of the end of the last capture. */

import { ApiError } from '../../contract/errors.ts';
import { collectionIdOf, type FirestoreDatabase, verifyCount } from '../../firestore/index.ts';
import { StaleReadError } from '../../platform/index.ts';
import { isInMove } from '../../project/index.ts';
import { archiveRanges, type BackupDeps, openRawArchive } from '../../stored-backup/index.ts';
import { ChangeBatchReader } from '../batch/change-batch-reader.ts';
import { Lookup } from '../coverage/document-lookup.ts';
import { type CycleContext, readPitr } from '../model/cycle-context.ts';
import { microsOf, shownMoment } from '../model/micro-time.ts';
import { latestChanges } from '../point/latest-changes.ts';
import { missingAt } from '../point/missing-coverage.ts';
import { type PointPlan, planPoint } from '../point/plan-point.ts';
import { expandGaps } from '../timeline/gap-lists.ts';
import { CapturedCursor } from './captured-cursor.ts';
import { compareSlice, isSame, type Suspect } from './compare-slice.ts';

/** Why nothing can be compared now. */
export class AuditPostponed extends Error {}

/** A document whose captured version is not the one of the source. */
export interface CaptureDifference {
  /** Its full name. */
  readonly name: string;
  readonly path: string;
  readonly captured: Buffer | undefined;
  readonly found: Uint8Array | undefined;
}

export interface AuditedSliceResult {
  /** The moment that both sides show. */
  readonly moment: string;
  readonly to: string | undefined;
  readonly documents: number;
  readonly differences: readonly CaptureDifference[];
}

interface SliceRun {
  readonly source: FirestoreDatabase;
  readonly from: string | undefined;
  readonly limit: number;
  /** Counts the billed reads, also of a run that fails. */
  readonly spent: { reads: number };
  readonly deps: BackupDeps;
  readonly until: Date;
  readonly signal: AbortSignal;
}

/** The source keeps an hour; the rest is for reading. */
const ageMaxMs = 45 * 60_000;

export const auditSlice = async (cycle: CycleContext, run: SliceRun): Promise<AuditedSliceResult> => {
  const { tenant } = cycle;
  const { source, from, limit, spent, deps, until, signal } = run;
  const plan = await planMoment(cycle, deps.clock.now());
  const isJudged = await judgedCollections(cycle, plan);
  const { moment } = plan.point;
  const opened = await openRawArchive(tenant, { backup: plan.base, deps });
  const reader = new ChangeBatchReader(tenant, deps);
  try {
    const { archive } = opened;
    const range = from === undefined ? {} : { from };
    const [first] = archiveRanges(archive, [range]);
    const changes = latestChanges({
      read: () => reader.read(plan.batches),
      after: plan.point.base.readTime,
      upTo: moment,
      from: first?.from,
    });
    const captured = new CapturedCursor(archive, range, changes);
    const compared = await compareSlice({
      source,
      captured,
      moment,
      from,
      limit,
      isOver: () => deps.clock.now() >= until,
      spent,
      signal,
    });
    const { to, documents } = compared;
    // A stream may end early without an error.
    const counted = await verifyCount(source, { range: { from, to }, readTime: moment, read: documents, signal });
    spent.reads += counted.reads;
    const suspects = compared.suspects.filter(({ path }) => isJudged(collectionIdOf(path)));
    return { moment, to, documents, differences: await confirm(suspects, { source, moment, spent, signal }) };
  } finally {
    reader.close();
    opened.close();
  }
};

/** The end of the last capture, if the source still has it. Otherwise there is nothing to compare with. */
const planMoment = async ({ tenant, pitr }: CycleContext, now: Date): Promise<PointPlan> => {
  const { projectId, capturedTo } = pitr;
  if (capturedTo === null || now.getTime() - microsOf(capturedTo) / 1_000 > ageMaxMs)
    throw new AuditPostponed('the last capture is older than what the source can still be read at');
  const plan = await planOf(() =>
    planPoint(tenant, { projectId, request: { pointInTime: capturedTo, isExact: true, allowPartial: true }, now }),
  );
  const { point, base } = plan;
  if (microsOf(point.moment) !== microsOf(capturedTo) || point.uncovered?.sampled)
    throw new AuditPostponed(`what was captured up to ${shownMoment(microsOf(capturedTo))} is not proven yet`);
  if (isInMove(base) || base.damagedDepth !== undefined)
    throw new AuditPostponed(`the base backup ${base.id} is damaged, or being moved`);
  // The plan and the captured collections must be of one moment.
  if ((await readPitr(tenant, projectId))?.turn !== pitr.turn) throw new StaleReadError();
  return plan;
};

const planOf = async (plan: () => Promise<PointPlan>): Promise<PointPlan> => {
  try {
    return await plan();
  } catch (error) {
    if (error instanceof ApiError && !(error instanceof StaleReadError))
      throw new AuditPostponed(error.message, { cause: error });
    throw error;
  }
};

/** Collections that are not captured, or have a gap, are known to differ: a base backup completes them. */
const judgedCollections = async (
  { tenant, pitr, positions }: CycleContext,
  { point }: PointPlan,
): Promise<(id: string) => boolean> => {
  const gaps = await expandGaps(tenant, pitr, ({ isBridged }) => !isBridged);
  const missing = new Set(missingAt({ ...pitr, gaps }, point.moment).flatMap(({ collections = [] }) => collections));
  const judged = new Set(positions.map(({ collectionId }) => collectionId).filter((id) => !missing.has(id)));
  return (id) => judged.has(id);
};

/** Looks each of them up at the same moment. */
const confirm = async (
  suspects: readonly Suspect[],
  { source, moment, spent, signal }: Pick<SliceRun, 'source' | 'spent' | 'signal'> & { readonly moment: string },
): Promise<readonly CaptureDifference[]> => {
  const lookup = new Lookup(source, signal);
  const byName = new Map(suspects.map((suspect) => [`${source.root}/${suspect.path}`, suspect]));
  const differences: CaptureDifference[] = [];
  try {
    await lookup.at(microsOf(moment), [...byName.keys()], (name, found) => {
      const suspect = byName.get(name);
      if (!suspect) return;
      const { path, captured } = suspect;
      const isEqual = captured && found ? isSame(captured, found) : captured === found;
      if (!isEqual) differences.push({ name, path, captured, found: found && Buffer.from(found) });
    });
  } finally {
    spent.reads += lookup.reads;
  }
  return differences;
};
