/** The captured versions of one document, and what can be restored of them. */
import { collectionIdOf, type ErasureFilter, fieldsDigest } from '../firestore/index.ts';
import {
  type CapturedVersion,
  floorSecond,
  lastSecondBefore,
  microsOf,
  type PitrRecord,
  readWindows,
  searchNewest,
} from '../pitr/index.ts';
import type { Clock, Tenant } from '../platform/index.ts';
import type { ArchiveDeps } from '../stored-backup/index.ts';

type Windows = Awaited<ReturnType<typeof readWindows>>['data']['windows'];

/** A change of the document, in microseconds. */
export interface DocumentVersion {
  readonly at: number;
  /** Undefined if it was deleted, or is erased. */
  readonly encoded: Uint8Array | undefined;
  readonly isDeleted: boolean;
  readonly contentHash: string | null;
  /** The last second in which this version can be restored; null of a deletion, and if there is none. */
  readonly restorableAt: number | null;
  /** The last second in which the version before can be restored, whatever that is. */
  readonly restorableBefore: number | null;
}

export interface DocumentVersions {
  readonly windows: Windows;
  /** Newest first. */
  readonly versions: readonly DocumentVersion[];
  readonly searchedFrom: string | null;
  readonly isComplete: boolean;
}

interface FindOptions {
  readonly pitr: PitrRecord;
  readonly path: string;
  readonly erasures: ErasureFilter | undefined;
  readonly now: Date;
  readonly until: Date;
  readonly clock: Clock;
  readonly deps: ArchiveDeps;
}

/** Shown at most; the search ends with them. */
const versionsMax = 20;

export const findVersions = async (
  tenant: Tenant,
  { pitr, path, erasures, now, until, clock, deps }: FindOptions,
): Promise<DocumentVersions> => {
  const collectionId = collectionIdOf(path);
  const found: CapturedVersion[] = [];
  const [{ data }, searched] = await Promise.all([
    readWindows(tenant, pitr, { collection: collectionId, page: { limit: 1, after: undefined }, now }),
    searchNewest(tenant, pitr, {
      collectionId,
      visit: (version) => {
        if (version.path === path) found.push(version);
      },
      isEnough: () => found.length >= versionsMax,
      until,
      clock,
      deps,
    }),
  ]);
  const shown = inOrder(found).map((version) => ({ version, encoded: contentOf(version, erasures) }));
  return { ...searched, windows: data.windows, versions: withMoments(shown, data.windows) };
};

/** Newest first. A change that was stored twice counts once, and of consecutive deletions the first one. */
const inOrder = (found: readonly CapturedVersion[]): readonly CapturedVersion[] => {
  const kept: CapturedVersion[] = [];
  for (const version of found.toSorted((a, b) => a.at - b.at || Number(a.isDeleted) - Number(b.isDeleted))) {
    const before = kept.at(-1);
    if (!before || before.isDeleted !== version.isDeleted || (!version.isDeleted && before.at !== version.at)) kept.push(version);
  }
  return kept.reverse();
};

const contentOf = ({ isDeleted, path, content }: CapturedVersion, erasures: ErasureFilter | undefined): Buffer | undefined => {
  const encoded = isDeleted ? undefined : content();
  return encoded && erasures?.hidesDocument(Buffer.from(path), encoded) ? undefined : encoded;
};

/** A version can be restored in the last second before the next one, if the moment is in a window and the version was known then. */
const withMoments = (
  newestFirst: readonly { readonly version: CapturedVersion; readonly encoded: Buffer | undefined }[],
  windows: Windows,
): readonly DocumentVersion[] => {
  const spans = windows.map(({ from, to }) => ({ from: microsOf(from), to: microsOf(to) }));
  const inWindow = (second: number): number | null =>
    spans.some(({ from, to }) => from <= second && second <= to) ? second : null;
  const latest = Math.max(...spans.map(({ to }) => to), 0);
  return newestFirst.map(({ version, encoded }, n) => {
    const next = newestFirst[n - 1]?.version;
    const second = next ? lastSecondBefore(next.at) : floorSecond(latest);
    // Within a batch that is not proven, a restore uses its start.
    const known = next && !next.batch.isProven && second > next.batch.from ? next.batch.from : second;
    return {
      at: version.at,
      encoded,
      isDeleted: version.isDeleted,
      contentHash: encoded ? fieldsDigest(encoded) : null,
      restorableAt: encoded && version.at <= known ? inWindow(second) : null,
      restorableBefore: inWindow(lastSecondBefore(version.at)),
    };
  });
};
