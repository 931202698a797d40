/** Adopts a newer base while capturing: restores read fewer changes, and collections below documents are discovered. */
import type { BackupDeps, BackupRecord } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { baseRefreshSeconds } from '../../contract/limits.ts';
import { log, StaleReadError, set } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type Base, type Gap, type PitrRecord, pitrKey } from '../model/record.ts';
import { type ResumePosition, startPosition } from '../model/resume-position.ts';
import {
  canFollow,
  collectionsOf,
  failedBase,
  findBackup,
  mayStartBase,
  readRequestedBase,
  readTimeOf,
  startBase,
  startMaxMicros,
} from './base-backup.ts';

/** What the cycle's transaction adds. */
export interface BaseRefresh {
  readonly base?: Omit<Base, 'since'>;
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
  const fits = (backup: BackupRecord): boolean => canFollow(tenant, pitr, backup) && (!hasOpenGap(pitr) || isRecent(backup, now));
  if (requested && fits(requested)) return follow(cycle, requested, deps);
  if (pitr.comingBaseId !== null) {
    // Completed, and its read time will be captured soon.
    if (requested?.status === 'completed' && pitr.capturedTo !== null && readTimeOf(requested) > microsOf(pitr.capturedTo))
      return nothing(cycle);
    return { ...nothing(cycle), changed: { comingBaseId: null, ...failedBase(pitr, now) } };
  }
  if (!isDue(pitr, now) && !(isMuch(pitr) && isWorthIt(cycle, now))) return nothing(cycle);
  const found = await findBackup(tenant, pitr, now, baseRefreshSeconds, fits);
  if (found) return follow(cycle, found, deps);
  if (mayStartBase(pitr, now) && isWorthIt(cycle, now)) await requestBase(cycle, now);
  return nothing(cycle);
};

const hasOpenGap = ({ gaps }: PitrRecord): boolean =>
  gaps.some(({ to, collections, heardFrom }) => to === null && (collections !== undefined || heardFrom !== undefined));

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

const isRecent = (backup: BackupRecord, now: Date): boolean => now.getTime() * 1_000 - readTimeOf(backup) <= startMaxMicros;

const isDue = (pitr: PitrRecord, now: Date): boolean => {
  const last = pitr.bases.at(-1);
  return (
    hasOpenGap(pitr) ||
    !last ||
    last.isDamaged ||
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
 * most about 600,000 documents an hour, and there are about 200 in a week, 1,500 in a year.
 */
const microsPerDocument = 6_000;
const microsPerBase = 30 * 1_000_000;

const isWorthIt = ({ pitr, positions }: CycleContext, now: Date): boolean => {
  if (pitr.bases.at(-1)?.isDamaged) return true;
  const documents = positions.reduce((sum, { count = 0 }) => sum + count, 0);
  const ageMicros = now.getTime() * 1_000 - microsOf(pitr.bases.at(-1)?.readTime ?? '1970-01-01T00:00:00Z');
  const leastMicros = Math.max(documents * microsPerDocument, pitr.bases.length * microsPerBase);
  return ageMicros >= Math.min(baseRefreshSeconds * 1_000_000, leastMicros);
};

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
const follow = async (cycle: CycleContext, backup: BackupRecord, deps: BackupDeps): Promise<BaseRefresh> => {
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
    found: unknown.map(startPosition(readTimeOf(backup))),
    // Discovered collections have a gap of their own.
    gaps: pitr.gaps
      .filter((one) => !(unknown.length > 0 && isUndiscovered(one) && isEndedBy(one, readTime)))
      .map((one) => (isEndedBy(one, readTime) ? ended(one, readTime) : one)),
    opened: unknown.length > 0 ? [gap] : [],
    changed: {
      comingBaseId: null,
      baseFailures: 0,
      baseBytes: backup.originalSize,
      bytesSinceBase: 0,
      ...(isNews && { checkedAt: readTime }),
    },
  };
};

/** A base contains whole collections: it ends the open gap of a collection that was captured by then. */
const isEndedBy = ({ to, heardFrom }: Gap, readTime: string): boolean =>
  to === null && heardFrom !== undefined && microsOf(heardFrom) <= microsOf(readTime);

const ended = ({ heardFrom: _, ...gap }: Gap, to: string): Gap => ({ ...gap, to });
