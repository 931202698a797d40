/** How a document changed, from all its states that backups, captured changes and the live database have. */
import { diffFields, type FieldChange } from './diff-fields.ts';
import { type KnownVersion, versionsOf } from './document-versions.ts';
import type { Fields } from './firestore-value.ts';
import type { DataOf } from './routes.ts';

type Located = DataOf<'GET /documents/locate'>;

export interface HistoryEntry {
  /** When it was written; else when it was first seen in this state, or first missed. */
  readonly at: string;
  /** Whether `at` is the time of the write itself. */
  readonly isExact: boolean;
  /** `first`: the oldest state that is known. */
  readonly change: 'first' | 'created' | 'changed' | 'deleted';
  /** Against the state before; null if the fields of one of them are not known. */
  readonly changes: readonly FieldChange[] | null;
  readonly document: KnownVersion['document'];
  /** What a restore of this state takes it from; null if none can be restored. */
  readonly source: NonNullable<KnownVersion['source']> | null;
  /** The backups with this state. */
  readonly backupIds: readonly string[];
  readonly isLive: boolean;
}

/** Newest first. States that follow each other with the same contents are one entry; those that are not known are left out. */
export const documentHistory = (located: Located): readonly HistoryEntry[] => {
  const entries: { -readonly [K in keyof HistoryEntry]: HistoryEntry[K] }[] = [];
  let last: KnownVersion | undefined;
  for (const version of [...versionsOf(located)].reverse().concat(liveVersion(located) ?? [])) {
    const { state, contentHash, source, backupIds, document } = version;
    // Without a hash it cannot be told whether anything changed.
    if (state === 'unknown' || state === 'erased' || (state === 'exists' && contentHash === null)) continue;
    const [exists, existed] = [state === 'exists', last?.state === 'exists'];
    const entry = entries.at(-1);
    const isSame = last !== undefined && exists === existed && (!exists || contentHash === last.contentHash);
    if (isSame && entry) {
      entry.backupIds = [...entry.backupIds, ...backupIds];
      entry.source ??= source ?? null;
      entry.document ??= document;
    } else if (exists || existed) {
      const time = exists ? version.writtenAt : state === 'deleted' ? version.at : null;
      entries.push({
        at: time ?? version.at,
        isExact: time !== null,
        change: !exists ? 'deleted' : existed ? 'changed' : last ? 'created' : 'first',
        changes: exists && existed ? changesOf(entry?.document, document) : null,
        document,
        source: source ?? null,
        backupIds,
        isLive: false,
      });
    }
    last = version;
  }
  // An older state may have the contents that the live document has again.
  const newest = entries.at(-1);
  if (newest) newest.isLive = located.live?.exists === true && newest.change !== 'deleted';
  return entries.reverse();
};

const changesOf = (
  before: KnownVersion['document'] | undefined,
  after: KnownVersion['document'],
): readonly FieldChange[] | null => {
  if (!before?.fields || !after?.fields) return null;
  return diffFields(before.fields as Fields, after.fields as Fields).changes;
};

const liveVersion = ({ live }: Located): KnownVersion | undefined =>
  live && live.exists !== null
    ? {
        key: 'live',
        at: live.checkedAt,
        writtenAt: live.updateTime,
        kind: 'change',
        state: live.exists ? 'exists' : 'missing',
        backups: 0,
        backupId: undefined,
        backupIds: [],
        contentHash: live.contentHash,
        document: live.document,
        message: null,
        source: undefined,
        isRecommended: false,
        isLive: live.exists,
      }
    : undefined;
