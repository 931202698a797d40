/** A newer base for what is captured already: so no restore has to go through many days of changes, and deeper collections are found. */
import type { BackupDeps, BackupRecord } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { log, StaleReadError, set } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type Base, type Gap, type PitrRecord, pitrKey } from '../model/record.ts';
import type { ResumePosition } from '../model/resume-position.ts';
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

/** What the turn's own transaction takes along. */
export interface BaseRefresh {
  readonly base?: Omit<Base, 'since'>;
  /** Collections that only the base has found; they are captured from its moment on. */
  readonly found: readonly ResumePosition[];
  readonly gaps: readonly Gap[];
  /** New ones: of collections that nobody listened to. Without an end it ends with this turn, which tells what happened since the base. */
  readonly opened: readonly (Omit<Gap, 'to'> & { readonly to?: null })[];
  readonly changed: Partial<PitrRecord>;
}

const refreshSeconds = 24 * 3_600;

const nothing = ({ pitr }: CycleContext): BaseRefresh => ({ found: [], gaps: pitr.gaps, opened: [], changed: {} });

export const refreshBase = async (cycle: CycleContext, deps: BackupDeps): Promise<BaseRefresh> => {
  const { tenant, pitr } = cycle;
  const now = deps.clock.now();
  const coming = await readRequestedBase(tenant, pitr);
  if (coming?.status === 'pending' || coming?.status === 'running') return nothing(cycle);
  const fits = (backup: BackupRecord): boolean => canFollow(tenant, pitr, backup) && (!hasOpenGap(pitr) || isRecent(backup, now));
  if (coming && fits(coming)) return follow(cycle, coming, deps);
  if (pitr.comingBaseId !== null) {
    // It is there, and shows a moment that is captured soon.
    if (coming?.status === 'completed' && pitr.capturedTo !== null && readTimeOf(coming) > microsOf(pitr.capturedTo))
      return nothing(cycle);
    return { ...nothing(cycle), changed: { comingBaseId: null, ...failedBase(pitr, now) } };
  }
  if (!isDue(pitr, now) && !(isMuch(pitr) && isWorthIt(cycle, now))) return nothing(cycle);
  const found = await findBackup(tenant, pitr, now, refreshSeconds, fits);
  if (found) return follow(cycle, found, deps);
  if (mayStartBase(pitr, now) && isWorthIt(cycle, now)) await askForBase(cycle, now);
  return nothing(cycle);
};

const hasOpenGap = ({ gaps }: PitrRecord): boolean =>
  gaps.some(({ to, collections, heardFrom }) => to === null && (collections !== undefined || heardFrom !== undefined));

/** Of collections that are not known: the source has documents that none of ours is, and no base has found them yet. */
export const isUndiscovered = ({ to, collections }: Pick<Gap, 'to' | 'collections'>): boolean =>
  to === null && collections?.length === 0;

/** Whether something is known to be missing that nobody listens to: then there is nothing to count before a base is taken over. */
export const lacksListenedCollections = ({ gaps, opened, found }: BaseRefresh, positions: readonly ResumePosition[]): boolean => {
  const heard = new Set([...positions, ...found].map(({ collectionId }) => collectionId));
  return [...gaps, ...opened].some(
    ({ to, collections }) => to === null && collections && (collections.length === 0 || collections.some((id) => !heard.has(id))),
  );
};

const isRecent = (backup: BackupRecord, now: Date): boolean => now.getTime() * 1_000 - readTimeOf(backup) <= startMaxMicros;

const isDue = (pitr: PitrRecord, now: Date): boolean => {
  const last = pitr.bases.at(-1);
  return (
    hasOpenGap(pitr) || !last || last.isDamaged || now.getTime() * 1_000 - microsOf(last.readTime) > refreshSeconds * 1_000_000
  );
};

/**
 * Whoever restores a moment reads all changes since the base, and more than once where they do not fit into memory: 512 MB as stored
 * are mostly 2 GB of documents, which one worker has put together in some minutes; of a large database a base costs more than that.
 */
const muchBytes = 512 << 20;
const muchShare = 0.2;

const isMuch = ({ baseBytes = 0, bytesSinceBase = 0 }: PitrRecord): boolean =>
  bytesSinceBase > Math.max(muchBytes, muchShare * baseBytes);

/**
 * A base reads every document, and stands on the record for as long as it is kept: where new collections come all the time, bases
 * read about 600,000 documents an hour at most, and are some 200 in a week, 1,500 in a year.
 */
const microsPerDocument = 6_000;
const microsPerBase = 30 * 1_000_000;

const isWorthIt = ({ pitr, positions }: CycleContext, now: Date): boolean => {
  if (pitr.bases.at(-1)?.isDamaged) return true;
  const documents = positions.reduce((sum, { count = 0 }) => sum + count, 0);
  const ageMicros = now.getTime() * 1_000 - microsOf(pitr.bases.at(-1)?.readTime ?? '1970-01-01T00:00:00Z');
  const leastMicros = Math.max(documents * microsPerDocument, pitr.bases.length * microsPerBase);
  return ageMicros >= Math.min(refreshSeconds * 1_000_000, leastMicros);
};

/** Beside the turn, which goes on: that it cannot be begun now costs nothing. */
const askForBase = async (cycle: CycleContext, now: Date): Promise<void> => {
  const { tenant, pitr } = cycle;
  const expected = { turn: pitr.turn, status: pitr.status };
  const note = (changed: Partial<PitrRecord>) =>
    set(pitrKey.pitr(tenant, pitr.projectId), changed, { expected, onConditionFailed: () => new StaleReadError() });
  try {
    await startBase(cycle, now, note);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn('a base could not be begun', { projectId: pitr.projectId, code: error.code });
  }
};

/** Takes the backup as a base; one that is too old to go on from is not taken if it has collections that nobody listens to. */
const follow = async (cycle: CycleContext, backup: BackupRecord, deps: BackupDeps): Promise<BaseRefresh> => {
  const { tenant, pitr, positions } = cycle;
  const known = new Set(positions.map(({ collectionId }) => collectionId));
  const collections = await collectionsOf(tenant, backup, deps);
  const unknown = [...collections].filter(([id]) => !known.has(id));
  const readTime = momentOf(readTimeOf(backup));
  const { checkedAt } = pitr;
  const isNews = checkedAt === undefined || microsOf(checkedAt) < microsOf(readTime);
  // Up to the last time that it was counted there was no other, unless that was later than the base and they are gone by then.
  const from = (isNews ? checkedAt : undefined) ?? pitr.bases.at(-1)?.readTime ?? readTime;
  const gap = { from, reason: 'found below a document by a later base', collections: unknown.map(([id]) => id) };
  if (unknown.length > 0 && !isRecent(backup, deps.clock.now())) {
    const open = { ...gap, to: null, heardFrom: momentOf(deps.clock.now().getTime() * 1_000) };
    return { ...nothing(cycle), opened: [open], changed: { comingBaseId: null } };
  }
  return {
    base: { backupId: backup.id, readTime },
    found: unknown.map(([collectionId, count]) => ({
      ...{ collectionId, to: readTimeOf(backup), token: undefined, count },
      isCounted: true,
    })),
    // What was looked for is found: it has a gap of its own.
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

/** A base shows all of a collection: what lasted until then ends, if the collection was captured by then. */
const isEndedBy = ({ to, heardFrom }: Gap, readTime: string): boolean =>
  to === null && heardFrom !== undefined && microsOf(heardFrom) <= microsOf(readTime);

const ended = ({ heardFrom: _, ...gap }: Gap, to: string): Gap => ({ ...gap, to });
