/** Adopts a newer base while capturing: restores read fewer changes, and collections below documents are discovered. */

import { ApiError } from '../../contract/errors.ts';
import { baseRefreshSeconds } from '../../contract/limits.ts';
import { bestEffort, iso, log, StaleReadError, set, updateItem } from '../../platform/index.ts';
import { type BackupDeps, type BackupRecord, isPlanned, type PlannedBackup, sourceReadingOf } from '../../stored-backup/index.ts';
import { type CycleContext, loadCycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type Base, type Gap, type PitrRecord, pitrKey } from '../model/record.ts';
import { type ResumePosition, startPosition } from '../model/resume-position.ts';
import {
  canFollow,
  canFollowSoon,
  collectionsOf,
  endsDivergence,
  failedBase,
  findBackup,
  isBuilt,
  isInterrupted,
  mayStartBase,
  readRequestedBase,
  readTimeOf,
  startBase,
  startMaxMicros,
} from './base-backup.ts';
import { hasOpenGap, lacksBase, needsReadBase } from './needs-read-base.ts';

/** What the cycle's transaction adds. */
export interface BaseRefresh {
  readonly base?: Omit<Base, 'since'>;
  /** The base is locked: its lock is extended to that of the window. */
  readonly isLocked?: boolean;
  /** Collections discovered by the base; captured from its read time on. */
  readonly found: readonly ResumePosition[];
  readonly gaps: readonly Gap[];
  /** New gaps of collections that were not captured. Without `to` a gap ends with this cycle, which captures the changes since the base. */
  readonly opened: readonly (Omit<Gap, 'to'> & { readonly to?: null })[];
  readonly changed: Partial<PitrRecord>;
}

const nothing = ({ pitr }: CycleContext): BaseRefresh => ({ found: [], gaps: pitr.gaps, opened: [], changed: {} });

export const refreshBase = async (cycle: CycleContext, deps: BackupDeps): Promise<BaseRefresh> => {
  const { tenant, pitr } = cycle;
  const now = deps.clock.now();
  const requested = await readRequestedBase(tenant, pitr);
  if (requested?.status === 'pending' || requested?.status === 'running') return nothing(cycle);
  const fits = (backup: BackupRecord): backup is PlannedBackup =>
    canFollow(tenant, pitr, backup) && (isBuilt(backup) ? !needsReadBase(pitr, now) : !hasOpenGap(pitr) || isRecent(backup, now));
  if (requested && fits(requested)) return follow(cycle, requested, deps);
  if (pitr.comingBaseId !== null) {
    // Completed, and its read time will be captured soon.
    const completed = requested?.status === 'completed' && isPlanned(requested) ? requested : undefined;
    if (completed && pitr.capturedTo !== null && readTimeOf(completed) > microsOf(pitr.capturedTo)) return nothing(cycle);
    const isUnproven = completed !== undefined && !isBuilt(completed) && isInterrupted(pitr, completed);
    const failed = isUnproven ? unprovenBase(cycle, completed, now) : failedBase(pitr, now);
    return { ...nothing(cycle), changed: { comingBaseId: null, ...failed } };
  }
  if (!isDue(pitr, now) && !(isMuch(pitr) && isWorthIt(cycle, now))) return nothing(cycle);
  const isNext = (backup: BackupRecord): backup is PlannedBackup => canFollowSoon(tenant, pitr, backup);
  const found = await findBackup(tenant, {
    pitr,
    now,
    seconds: baseRefreshSeconds,
    fits: (backup): backup is PlannedBackup => isNext(backup) || fits(backup),
  });
  if (found) return isNext(found) ? nothing(cycle) : follow(cycle, found, deps);
  if (!isWorthIt(cycle, now)) return { ...nothing(cycle), changed: { baseDueAt: dueAt(cycle) } };
  if (mayRefresh(pitr, now)) await requestBase(cycle, now);
  return { ...nothing(cycle), changed: { baseDueAt: undefined } };
};

/** After a cycle that opened a gap: the base that ends it does not wait for the next cycle. */
export const requestBaseAtOnce = async ({ tenant, pitr: { projectId, turn } }: CycleContext, deps: BackupDeps): Promise<void> => {
  const cycle = await loadCycleContext(tenant, projectId);
  const now = deps.clock.now();
  if (cycle?.pitr.turn !== turn + 1 || !mayRefresh(cycle.pitr, now)) return;
  if (isWorthIt(cycle, now)) return requestBase(cycle, now);
  await bestEffort('record when the base is due', updateItem(set(pitrKey.pitr(tenant, projectId), { baseDueAt: dueAt(cycle) })));
};

/** An open gap of unknown collections, which no base has discovered yet. */
export const isUndiscovered = ({ to, collections }: Pick<Gap, 'to' | 'collections'>): boolean =>
  to === null && collections?.length === 0;

/** Whether a collection is known to be missing: then counting is pointless before a base is adopted. */
export const lacksListenedCollections = ({ gaps, opened, found }: BaseRefresh, positions: readonly ResumePosition[]): boolean => {
  const listened = new Set([...positions, ...found].map(({ collectionId }) => collectionId));
  return [...gaps, ...opened].some(
    ({ to, collections }) =>
      to === null && collections && (collections.length === 0 || collections.some((id) => !listened.has(id))),
  );
};

const isRecent = (backup: PlannedBackup, now: Date): boolean => now.getTime() * 1_000 - readTimeOf(backup) <= startMaxMicros;

const isDue = (pitr: PitrRecord, now: Date): boolean => {
  const last = pitr.bases.at(-1);
  return (
    hasOpenGap(pitr) ||
    !last ||
    lacksBase(pitr) ||
    last.isDamaged ||
    pitr.mustReadBase ||
    now.getTime() * 1_000 - microsOf(last.readTime) > baseRefreshSeconds * 1_000_000
  );
};

/**
 * A restore reads all changes since the base, repeatedly if they do not fit into memory. 512 MB stored are about 2 GB of documents,
 * some minutes of one worker. For a large database a new base costs more than that.
 */
const muchBytes = 512 << 20;
const muchShare = 0.2;

const isMuch = ({ baseBytes = 0, bytesSinceBase = 0 }: PitrRecord): boolean =>
  bytesSinceBase > Math.max(muchBytes, muchShare * baseBytes);

/**
 * A base reads every document and stays on the record while it is kept. Even if new collections appear all the time, bases read at
 * most about 600,000 documents an hour, and there are about 250 in a week, 1,500 in a year.
 */
const msPerDocument = 6;
const msPerBase = 30_000;
/** This many bases may follow each other as fast as they are needed. */
const basesFree = 50;

const readingMs = ({ positions }: CycleContext): number =>
  positions.reduce((sum, { count = 0 }) => sum + count, 0) * msPerDocument;

/** When the next base is worth its reads. */
const worthItMs = (cycle: CycleContext): number => {
  const { pitr } = cycle;
  const last = pitr.bases.at(-1);
  if (!last || last.isDamaged || pitr.mustReadBase || lacksBase(pitr)) return 0;
  const leastMs = Math.max(readingMs(cycle), (pitr.bases.length - basesFree) * msPerBase);
  return microsOf(last.readTime) / 1_000 + Math.min(baseRefreshSeconds * 1_000, leastMs);
};

const retryMinMs = 30_000;
const retryMaxMs = 365 * 24 * 3_600_000;

/** The next one is likely to be read in vain, too: each waits twice as long. */
const unprovenBase = (cycle: CycleContext, { id }: BackupRecord, now: Date): Pick<PitrRecord, 'unprovenBase'> => {
  const times = (cycle.pitr.unprovenBase?.times ?? 0) + 1;
  const waitMs = Math.min(Math.max(retryMinMs, readingMs(cycle)) * 2 ** times, retryMaxMs);
  return { unprovenBase: { backupId: id, times, retryAt: iso(new Date(now.getTime() + waitMs)) } };
};

const mayRefresh = (pitr: PitrRecord, now: Date): boolean =>
  mayStartBase(pitr, now) && (pitr.unprovenBase === undefined || iso(now) >= pitr.unprovenBase.retryAt);

const dueAt = (cycle: CycleContext): string => iso(new Date(worthItMs(cycle)));

const isWorthIt = (cycle: CycleContext, now: Date): boolean => now.getTime() >= worthItMs(cycle);

/** Independent of the cycle: a failure to start does not fail it. */
const requestBase = async (cycle: CycleContext, now: Date): Promise<void> => {
  const { tenant, pitr } = cycle;
  const expected = { turn: pitr.turn, status: pitr.status };
  const note = (changed: Partial<PitrRecord>) =>
    set(pitrKey.pitr(tenant, pitr.projectId), changed, { expected, onConditionFailed: () => new StaleReadError() });
  try {
    await startBase(cycle, now, note);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn('base backup not started', { projectId: pitr.projectId, code: error.code });
  }
};

/** Adopts the backup as a base, unless it has unknown collections and is too old to capture them from its read time. */
const follow = async (cycle: CycleContext, backup: PlannedBackup, deps: BackupDeps): Promise<BaseRefresh> => {
  if (isBuilt(backup)) return followBuilt(cycle, backup);
  const { tenant, pitr, positions } = cycle;
  const known = new Set(positions.map(({ collectionId }) => collectionId));
  const collections = await collectionsOf(tenant, backup, deps);
  const unknown = [...collections].filter(([id]) => !known.has(id));
  const readTime = momentOf(readTimeOf(backup));
  const { checkedAt } = pitr;
  const isNews = checkedAt === undefined || microsOf(checkedAt) < microsOf(readTime);
  // Up to the last check there was no other collection, unless the check was after the base and they were deleted by then.
  const from = (isNews ? checkedAt : undefined) ?? pitr.bases.at(-1)?.readTime ?? readTime;
  const gap = { from, reason: 'found below a document by a later base', collections: unknown.map(([id]) => id) };
  if (unknown.length > 0 && !isRecent(backup, deps.clock.now())) {
    const open = { ...gap, to: null, heardFrom: momentOf(deps.clock.now().getTime() * 1_000) };
    return { ...nothing(cycle), opened: [open], changed: { comingBaseId: null } };
  }
  return {
    base: { backupId: backup.id, readTime },
    isLocked: backup.lockedUntil !== null,
    found: unknown.map(startPosition(readTimeOf(backup))),
    // Discovered collections have a gap of their own.
    gaps: pitr.gaps
      .filter((one) => !(unknown.length > 0 && isUndiscovered(one) && isEndedBy(one, readTime)))
      .map((one) => (isEndedBy(one, readTime) ? ended(one, readTime) : one)),
    opened: unknown.length > 0 ? [gap] : [],
    changed: {
      ...changedBy(backup),
      ...(endsDivergence(pitr, backup) && { mustReadBase: undefined }),
      ...(isNews && { checkedAt: readTime }),
    },
  };
};

/** It has the captured collections, no others: it finds none, ends no gap, and proves nothing about the source. */
const followBuilt = (cycle: CycleContext, backup: PlannedBackup): BaseRefresh => {
  const { builtFrom: _, ...audited } = sourceReadingOf(backup);
  return {
    ...nothing(cycle),
    base: { backupId: backup.id, readTime: momentOf(readTimeOf(backup)), builtFrom: 'changes', ...audited },
    isLocked: backup.lockedUntil !== null,
    changed: changedBy(backup),
  };
};

const changedBy = ({ originalSize }: BackupRecord): Partial<PitrRecord> => ({
  comingBaseId: null,
  baseFailures: 0,
  baseDueAt: undefined,
  unprovenBase: undefined,
  baseBytes: originalSize,
  bytesSinceBase: 0,
});

/** A base contains whole collections: it ends the open gap of a collection that was captured by then. */
const isEndedBy = ({ to, heardFrom }: Gap, readTime: string): boolean =>
  to === null && heardFrom !== undefined && microsOf(heardFrom) <= microsOf(readTime);

const ended = ({ heardFrom: _, ...gap }: Gap, to: string): Gap => ({ ...gap, to });
