/**
 * Comparing a backup. There is one direction: with another backup, from that one to this one; with the live database, from this
 * one to what is there now. Both are compared in what both were to hold; one that holds single documents, in those.
 */
import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import type { Diff } from '../../contract/models/backup.ts';
import { type FirestoreDatabase, intersection, type NameRange, probeSource, scopeOf } from '../../firestore/index.ts';
import { type Clock, fingerprint } from '../../platform/index.ts';
import { ArchiveCursor } from '../cursor/archive-cursor.ts';
import type { DocumentCursor } from '../cursor/document-cursor.ts';
import { LiveLookupCursor } from '../cursor/live-lookup-cursor.ts';
import { LiveScanCursor } from '../cursor/live-scan-cursor.ts';
import { costOf } from '../model/backup-view.ts';
import type { BackupRecord } from '../model/record.ts';
import type { OpenArchive } from '../read/open-archive.ts';
import { beginning, type DiffArchives, nameAt, type Progress, readCursor, writeCursor } from './diff-cursor.ts';
import { type Merged, type MergeOptions, mergeCursors } from './merge-cursors.ts';

export interface DiffOptions {
  readonly limit: number;
  readonly after: string | undefined;
  readonly deadline: Date;
  readonly clock: Clock;
}

export interface DiffPage {
  readonly data: z.input<typeof Diff>;
  readonly next: string | undefined;
}

/** A backup, and it open. */
export interface Compared {
  readonly backup: BackupRecord;
  readonly open: OpenArchive;
}

/** Documents of both backups: so many are walked through within a call, so the counts are whole on the first page. */
const countedOnMax = 2_000_000;
/** The same of a live database, where each costs a read each time. */
const liveCountedOnMax = 10_000;
/** About what one call may be billed as: what the source has sent beyond it is billed, too. */
const liveReadsMax = 20_000;

export const diffBackups = async (here: Compared, against: Compared, options: DiffOptions): Promise<DiffPage> => {
  const sides: DiffArchives = { from: against.open.archive, to: here.open.archive };
  const scope = intersection(scopeIn(against.backup), scopeIn(here.backup));
  const of = fingerprint(`${here.backup.id} ${against.backup.id}`).slice(0, 12);
  const { progress, rest } = await start(of, scope, sides, options.after);
  const partial = { from: isPartial(against.backup), to: isPartial(here.backup) };
  const from = new ArchiveCursor(against.open.archive, rest, { withTombstones: partial.from });
  const to = new ArchiveCursor(here.open.archive, rest, { withTombstones: partial.to });
  const countsOn = here.backup.documentCount + against.backup.documentCount <= countedOnMax;
  const merged = await walk(from, to, progress, { ...options, partial, countsOn, isEnough: () => false });
  return page(against.backup.id, of, merged, sides, progress);
};

export const diffLive = async (
  here: Compared,
  source: FirestoreDatabase,
  options: DiffOptions & { readonly signal: AbortSignal; readonly maxReads: number | undefined },
): Promise<DiffPage> => {
  const sides: DiffArchives = { from: here.open.archive, to: undefined };
  const of = fingerprint(`${here.backup.id} live`).slice(0, 12);
  const { progress: before, rest } = await start(of, scopeIn(here.backup), sides, options.after);
  const { signal, maxReads = Number.POSITIVE_INFINITY } = options;
  if (before.reads >= maxReads) throw readLimitExceeded(maxReads, before.reads);
  // Asking for the time is billed as a read.
  const readTime = before.readTime ?? (await probeSource(source, signal)).readTime;
  const withTombstones = isPartial(here.backup);
  const { archive } = here.open;
  // Of a database that is to be compared in single documents, only these are read.
  const lookups = withTombstones ? new LiveLookupCursor(source, archive, { readTime, signal, withTombstones }) : undefined;
  const live = lookups ?? new LiveScanCursor(source, rest, { readTime, signal });
  const archived = new ArchiveCursor(archive, rest, { withTombstones }, lookups?.through);
  const countsOn = here.backup.documentCount <= liveCountedOnMax;
  const readsOf = (): number => before.reads + (before.readTime === undefined ? 1 : 0) + live.reads;
  const isEnough = (): boolean => live.reads >= liveReadsMax || readsOf() > maxReads;
  const partial = { from: withTombstones, to: false };
  const merged = await walk(archived, live, before, { ...options, partial, countsOn, isEnough });
  const reads = readsOf();
  if (reads > maxReads) throw readLimitExceeded(maxReads, reads);
  const { data, next } = await page('live', of, merged, sides, { ...before, readTime, reads });
  return { data: { ...data, cost: costOf(reads) }, next };
};

/** Of all pages of a comparison together. */
const readLimitExceeded = (maxReads: number, reads: number): ApiError =>
  new ApiError(
    'CONFLICT',
    `The comparison would read more documents than maxReads of the project allows: ${reads} so far, ${maxReads} are allowed`,
    { maxReads, reads },
  );

const isPartial = ({ isPartial = false }: BackupRecord): boolean => isPartial;

/** What a backup was to hold. */
const scopeIn = ({ collections, excludedCollections }: BackupRecord): readonly NameRange[] =>
  scopeOf(collections, excludedCollections);

/** What was compared before, and what of the scope is left. */
const start = async (of: string, scope: readonly NameRange[], sides: DiffArchives, after: string | undefined) => {
  if (after === undefined) return { progress: beginning, rest: scope };
  const { progress, at } = readCursor(after, of);
  return { progress, rest: intersection(scope, [{ from: await nameAt(at, sides) }]) };
};

const walk = async (
  from: DocumentCursor,
  to: DocumentCursor,
  { counts, total }: Progress,
  options: DiffOptions & Pick<MergeOptions, 'countsOn' | 'partial'> & { isEnough: () => boolean },
): Promise<Merged> => {
  const { limit, countsOn, partial, deadline, clock, isEnough } = options;
  const isOver = (): boolean => clock.now() >= deadline || isEnough();
  try {
    return await mergeCursors(from, to, { limit, counts, partial, isOver, countsOn: countsOn && total === undefined });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
};

const page = async (against: string, of: string, merged: Merged, sides: DiffArchives, progress: Progress): Promise<DiffPage> => {
  const { changes, stop } = merged;
  const total = progress.total ?? merged.total;
  const counts = total ?? stop?.counts ?? progress.counts;
  return {
    data: { against, counts: { ...counts }, complete: total !== undefined, changes: [...changes] },
    next: stop && (await writeCursor(of, stop, sides, { ...progress, total })),
  };
};
