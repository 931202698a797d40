/** The states of a document as rows of a timeline, newest first. */
import type { DataOf, InputOf } from '../../../../../shared/client/index.ts';

type LocatedDocument = DataOf<'GET /documents/locate'>;
type RestoreBody = NonNullable<InputOf<'POST /backups/restore'>['body']>;
type InBackup = LocatedDocument['backups'][number];
type Entry = NonNullable<InBackup['document']>;

export interface Version {
  readonly key: string;
  readonly at: string;
  readonly kind: 'backup' | 'change';
  readonly state: 'exists' | 'missing' | 'deleted' | 'erased' | 'unknown';
  /** Consecutive backups with the same state; the newest stands for them. */
  readonly backups: number;
  readonly backupId: string | undefined;
  readonly contentHash: string | null;
  readonly document: Entry | null;
  readonly message: string | null;
  /** What a restore takes it from; undefined if it cannot be restored. */
  readonly source: Pick<RestoreBody, 'backupId' | 'projectId' | 'pointInTime'> | undefined;
  readonly isRecommended: boolean;
  readonly isLive: boolean;
}

export const versionsOf = (located: LocatedDocument): readonly Version[] => {
  const { moments, recommended, live, projectId } = located;
  const documents = documentsOf(located);
  const isLive = (hash: string | null): boolean => hash !== null && live?.exists === true && hash === live.contentHash;
  const changes = (moments?.changes ?? []).map(
    ({ at, change, restorableAt, contentHash, document }): Version => ({
      key: `change ${at} ${change}`,
      at,
      kind: 'change',
      state: change === 'deleted' ? 'deleted' : document ? 'exists' : 'erased',
      backups: 0,
      backupId: undefined,
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
  const before: readonly Version[] =
    recommended?.pointInTime && !isListed
      ? [momentOf({ projectId, at: recommended.pointInTime, contentHash: recommended.contentHash, documents })]
      : [];
  const backups = grouped(located.backups).map(({ backup, count }): Version => {
    const { id, readTime, createdAt, contentHash, exists, erased, message } = backup;
    return {
      key: id,
      at: readTime ?? createdAt,
      kind: 'backup',
      state: erased ? 'erased' : exists === null ? 'unknown' : exists ? 'exists' : 'missing',
      backups: count,
      backupId: id,
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

const momentOf = ({ projectId, at, contentHash, documents }: Moment): Version => ({
  key: `moment ${at}`,
  at,
  kind: 'change',
  state: 'exists',
  backups: 0,
  backupId: undefined,
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

const grouped = (backups: readonly InBackup[]): readonly { readonly backup: InBackup; readonly count: number }[] => {
  const groups: { readonly backup: InBackup; count: number }[] = [];
  for (const backup of backups) {
    const last = groups.at(-1);
    const isSame =
      last && backup.exists !== null && last.backup.exists === backup.exists && last.backup.contentHash === backup.contentHash;
    if (isSame) last.count += 1;
    else groups.push({ backup, count: 1 });
  }
  return groups;
};
