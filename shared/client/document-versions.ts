/** The states of a document as rows of a timeline, newest first. */
import type { DataOf, InputOf } from './routes.ts';

type LocatedDocument = DataOf<'GET /documents/locate'>;
type RestoreBody = NonNullable<InputOf<'POST /backups/restore'>['body']>;
type InBackup = LocatedDocument['backups'][number];
type Entry = NonNullable<InBackup['document']>;

export interface KnownVersion {
  readonly key: string;
  /** When the document was written or deleted, or the backup was made. */
  readonly at: string;
  /** When the state was written, if that is known. */
  readonly writtenAt: string | null;
  readonly kind: 'backup' | 'change';
  readonly state: 'exists' | 'missing' | 'deleted' | 'erased' | 'unknown';
  /** Consecutive backups with the same state; the newest stands for them. */
  readonly backups: number;
  readonly backupId: string | undefined;
  /** Newest first. */
  readonly backupIds: readonly string[];
  readonly contentHash: string | null;
  readonly document: Entry | null;
  readonly message: string | null;
  /** What a restore takes it from; undefined if it cannot be restored. */
  readonly source: Pick<RestoreBody, 'backupId' | 'projectId' | 'pointInTime'> | undefined;
  readonly isRecommended: boolean;
  readonly isLive: boolean;
}

export const versionsOf = (located: LocatedDocument): readonly KnownVersion[] => {
  const { moments, recommended, live, projectId } = located;
  const documents = documentsOf(located);
  const isLive = (hash: string | null): boolean => hash !== null && live?.exists === true && hash === live.contentHash;
  const changes = (moments?.changes ?? []).map(
    ({ at, change, restorableAt, contentHash, document }): KnownVersion => ({
      key: `change ${at} ${change}`,
      at,
      writtenAt: change === 'written' ? at : null,
      kind: 'change',
      state: change === 'deleted' ? 'deleted' : document ? 'exists' : 'erased',
      backups: 0,
      backupId: undefined,
      backupIds: [],
      contentHash,
      document,
      message: null,
      source: restorableAt === null ? undefined : { projectId, pointInTime: restorableAt },
      isRecommended: restorableAt !== null && restorableAt === recommended?.pointInTime,
      isLive: isLive(contentHash),
    }),
  );
  // The service may know that a moment has the document, although its version was captured too long ago to be found.
  const isListed = changes.some(({ isRecommended }) => isRecommended);
  const before: readonly KnownVersion[] =
    recommended?.pointInTime && !isListed
      ? [momentOf({ projectId, at: recommended.pointInTime, contentHash: recommended.contentHash, documents })]
      : [];
  const backups = grouped(located.backups).map(({ backup, ids }): KnownVersion => {
    const { id, readTime, createdAt, updateTime, contentHash, exists, erased, message } = backup;
    return {
      key: id,
      at: readTime ?? createdAt,
      writtenAt: updateTime,
      kind: 'backup',
      state: erased ? 'erased' : exists === null ? 'unknown' : exists ? 'exists' : 'missing',
      backups: ids.length,
      backupId: id,
      backupIds: ids,
      contentHash,
      document: documents.get(contentHash ?? '') ?? null,
      message,
      source: exists ? { backupId: id } : undefined,
      isRecommended: id === recommended?.backupId,
      isLive: isLive(contentHash),
    };
  });
  return [...changes, ...before, ...backups].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
};

interface Moment {
  readonly projectId: string;
  readonly at: string;
  readonly contentHash: string | null;
  readonly documents: ReadonlyMap<string, Entry>;
}

const momentOf = ({ projectId, at, contentHash, documents }: Moment): KnownVersion => ({
  key: `moment ${at}`,
  at,
  writtenAt: null,
  kind: 'change',
  state: 'exists',
  backups: 0,
  backupId: undefined,
  backupIds: [],
  contentHash,
  document: documents.get(contentHash ?? '') ?? null,
  message: null,
  source: { projectId, pointInTime: at },
  isRecommended: true,
  isLive: false,
});

/** An unchanged state has no fields of its own: another one with the same hash has them. */
const documentsOf = ({ backups, moments, live }: LocatedDocument): ReadonlyMap<string, Entry> => {
  const states = [...backups, ...(moments?.changes ?? []), ...(live ? [live] : [])];
  return new Map(states.flatMap(({ contentHash, document }) => (contentHash && document ? [[contentHash, document]] : [])));
};

const grouped = (backups: readonly InBackup[]): readonly { readonly backup: InBackup; readonly ids: readonly string[] }[] => {
  const groups: { readonly backup: InBackup; readonly ids: string[] }[] = [];
  for (const backup of backups) {
    const last = groups.at(-1);
    const isSame =
      last && backup.exists !== null && last.backup.exists === backup.exists && last.backup.contentHash === backup.contentHash;
    if (isSame) last.ids.push(backup.id);
    else groups.push({ backup, ids: [backup.id] });
  }
  return groups;
};
