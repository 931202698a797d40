/**
 * Compares a backup. The direction is from the other backup to this one, or from this one to the live database. Only the scope that
 * both have in common is compared; of a partial backup, only the documents it names.
 */
import type * as z from 'zod/mini';
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
import { beginning, type DiffArchives, type DiffProgress, nameAt, readCursor, writeCursor } from './diff-cursor.ts';
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

export interface ComparedBackup {
  readonly backup: BackupRecord;
  readonly open: OpenArchive;
}

/** With at most this many documents in both backups, the first page has the total counts. */
const countedOnMax = 2_000_000;
/** The same for a live database, where each document costs a read. */
const liveCountedOnMax = 10_000;
/** Approximate limit of billed reads per request; documents already sent are billed, too. */
const liveReadsMax = 20_000;

export const diffBackups = async (current: ComparedBackup, against: ComparedBackup, options: DiffOptions): Promise<DiffPage> => {
  const sides: DiffArchives = { from: against.open.archive, to: current.open.archive };
  const scope = commonScope(against.backup, current.backup);
  const comparison = fingerprint(`${current.backup.id} ${against.backup.id}`).slice(0, 12);
  const { progress, rest } = await start(comparison, { scope, sides, after: options.after });
  const partial = { from: isPartial(against.backup), to: isPartial(current.backup) };
  const from = new ArchiveCursor(against.open.archive, rest, { withTombstones: partial.from, withErased: true });
  const to = new ArchiveCursor(current.open.archive, rest, { withTombstones: partial.to, withErased: true });
  const countsOn = current.backup.documentCount + against.backup.documentCount <= countedOnMax;
  const merged = await walk(from, { to, progress, options: { ...options, partial, countsOn, isEnough: () => false } });
  const { data, next } = await page(against.backup.id, { comparison, merged, sides, progress });
  return { data: { ...data, ...lackingIn(current.backup, against.backup) }, next };
};

export const diffLive = async (
  current: ComparedBackup,
  source: FirestoreDatabase,
  options: DiffOptions & { readonly signal: AbortSignal; readonly maxReads: number | undefined },
): Promise<DiffPage> => {
  const sides: DiffArchives = { from: current.open.archive, to: undefined };
  const comparison = fingerprint(`${current.backup.id} live`).slice(0, 12);
  const { progress: before, rest } = await start(comparison, { scope: scopeIn(current.backup), sides, after: options.after });
  const { signal, maxReads = Number.POSITIVE_INFINITY } = options;
  if (before.reads >= maxReads) throw readLimitExceeded(maxReads, before.reads);
  // The probe is billed as a read.
  const readTime = before.readTime ?? (await probeSource(source, signal)).readTime;
  const withTombstones = isPartial(current.backup);
  const { archive, erasures } = current.open;
  // For a partial backup only the named documents are read.
  const lookups = withTombstones ? new LiveLookupCursor(source, archive, { readTime, signal, withTombstones }) : undefined;
  const live = lookups ?? new LiveScanCursor(source, rest, { readTime, signal });
  const archived = new ArchiveCursor(archive, rest, { withTombstones, withErased: true, through: lookups?.through });
  const countsOn = current.backup.documentCount <= liveCountedOnMax;
  const readsOf = (): number => before.reads + (before.readTime === undefined ? 1 : 0) + live.reads;
  const isEnough = (): boolean => live.reads >= liveReadsMax || readsOf() > maxReads;
  const partial = { from: withTombstones, to: false };
  const hidesLive = erasures && ((name: Buffer) => erasures.hidesDocument(name, live.document()));
  const merged = await walk(archived, {
    to: live,
    progress: before,
    options: { ...options, partial, countsOn, isEnough, hidesLive },
  });
  const reads = readsOf();
  if (reads > maxReads) throw readLimitExceeded(maxReads, reads);
  const { data, next } = await page('live', { comparison, merged, sides, progress: { ...before, readTime, reads } });
  return { data: { ...data, ...lackingIn(current.backup), cost: costOf(reads) }, next };
};

/** `reads` is the sum over all pages of a comparison. */
const readLimitExceeded = (maxReads: number, reads: number): ApiError =>
  new ApiError('CONFLICT', `The comparison exceeds maxReads of the project: ${reads} reads, at most ${maxReads} allowed`, {
    maxReads,
    reads,
  });

/** What the compared backups lack together. */
const lackingIn = (...backups: readonly BackupRecord[]): Pick<z.input<typeof Diff>, 'lacks'> => {
  const lacking = backups.flatMap(({ lacks }) => lacks ?? []);
  const [first, second] = lacking;
  if (!first || !second) return first ? { lacks: first } : {};
  const collections = [...new Set([...first.collections, ...second.collections])];
  const complete = first.complete && second.complete;
  const reason = [...new Set([first.reason, second.reason])].join('; ');
  const sampled = first.sampled ?? second.sampled;
  return { lacks: { collections, count: complete ? collections.length : null, complete, reason, ...(sampled && { sampled }) } };
};

export const isPartial = ({ isPartial = false }: BackupRecord): boolean => isPartial;

/** The scope that all of these backups have. */
export const commonScope = (...backups: readonly BackupRecord[]): readonly NameRange[] =>
  backups.map(scopeIn).reduce(intersection);

const scopeIn = ({ collections, excludedCollections }: BackupRecord): readonly NameRange[] =>
  scopeOf(collections, excludedCollections);

/** The progress of earlier pages, and the rest of the scope. */
const start = async (
  comparison: string,
  {
    scope,
    sides,
    after,
  }: { readonly scope: readonly NameRange[]; readonly sides: DiffArchives; readonly after: string | undefined },
) => {
  if (after === undefined) return { progress: beginning, rest: scope };
  const { progress, at } = readCursor(after, comparison);
  return { progress, rest: intersection(scope, [{ from: await nameAt(at, sides) }]) };
};

const walk = async (
  from: DocumentCursor,
  {
    to,
    progress: { counts, total },
    options,
  }: {
    readonly to: DocumentCursor;
    readonly progress: DiffProgress;
    readonly options: DiffOptions & Pick<MergeOptions, 'countsOn' | 'partial' | 'hidesLive'> & { isEnough: () => boolean };
  },
): Promise<Merged> => {
  const { limit, countsOn, partial, hidesLive, deadline, clock, isEnough } = options;
  const isOver = (): boolean => clock.now() >= deadline || isEnough();
  try {
    return await mergeCursors(from, to, { limit, counts, partial, hidesLive, isOver, countsOn: countsOn && total === undefined });
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
};

const page = async (
  against: string,
  {
    comparison,
    merged,
    sides,
    progress,
  }: { readonly comparison: string; readonly merged: Merged; readonly sides: DiffArchives; readonly progress: DiffProgress },
): Promise<DiffPage> => {
  const { changes, stop } = merged;
  const total = progress.total ?? merged.total;
  const counts = total ?? stop?.counts ?? progress.counts;
  return {
    data: { against, counts: { ...counts }, complete: total !== undefined, changes: [...changes] },
    next: stop && (await writeCursor(comparison, { stop, sides, progress: { ...progress, total } })),
  };
};
