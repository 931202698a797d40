/** Groups of fields that several kinds of backup records have in common. */
import { countBytes } from '../../firestore/index.ts';
import { after, iso, omitUndefined, type Tenant, takeWithinBytes } from '../../platform/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

type Required =
  | ('id' | 'projectId' | 'type' | 'trigger' | 'createdAt' | 'createdBy')
  | ('storageDestination' | 'path' | 'encryption');

/** The fields that distinguish a new record; the others have defaults. */
type NewBackupFields = Pick<BackupRecord, Required> & { readonly [K in keyof BackupRecord]?: BackupRecord[K] | undefined };

/** The record of a pending backup of everything, without any result, except for the given fields. */
export const newBackupRecord = (tenant: Tenant, fields: NewBackupFields): BackupRecord => ({
  ...backupKey.backup(tenant, fields.id),
  parentBackupId: null,
  status: 'pending',
  phase: 'queued',
  scheduleId: null,
  collections: ['*'],
  excludedCollections: [],
  includeAuthUsers: false,
  archive: { organization: tenant.organizationId, project: fields.projectId, backup: fields.id },
  totalDocuments: null,
  toldPercent: 0,
  readTime: null,
  startedAt: null,
  documents: 0,
  reads: 0,
  unknownCollections: [],
  size: 0,
  originalSize: 0,
  documentCount: 0,
  collectionCounts: [],
  countVerified: null,
  verification: null,
  verifiedAt: null,
  restoreTestedAt: null,
  lockedUntil: null,
  expiresAt: null,
  completedAt: null,
  deadline: null,
  error: null,
  ...(omitUndefined(fields) as NewBackupFields & Partial<BackupRecord>),
});

/** Fields of a record that is written when its archive is complete. */
export const finishedFields = { status: 'completed', phase: 'finished', totalDocuments: 0, toldPercent: 100 } as const;

export interface ArchiveContents {
  readonly documents: number;
  readonly tombstones: number;
  readonly users: number;
  readonly originalSize: number;
  /** Bytes of chunks and indexes, as stored. */
  readonly storedSize: number;
  /** Chunks and indexes. */
  readonly objects: number;
  /** Documents by collection id, the largest first. */
  readonly collections: readonly (readonly [id: string, documents: number])[];
  readonly countVerified: boolean;
}

export interface CompletedArchive {
  readonly contents: ArchiveContents;
  /** Bytes of all its objects in the destination. */
  readonly size: number;
  readonly manifestDigest: string;
}

/** Fields that every completed backup record gets from its archive. */
export const completedFields = (
  { includeAuthUsers }: Pick<BackupRecord, 'includeAuthUsers'>,
  { contents, size, manifestDigest }: CompletedArchive,
  now: Date,
) => ({
  documents: contents.documents,
  totalDocuments: contents.documents,
  size,
  // With its manifest and its key.
  objectCount: contents.objects + 2,
  originalSize: contents.originalSize,
  documentCount: contents.documents,
  collectionCounts: topCollections(contents.collections),
  ...(includeAuthUsers && { authUsers: contents.users }),
  manifestDigest,
  completedAt: iso(now),
});

const topBytesMax = 100_000;

/** The 1,000 largest collections, as far as they fit into an item, and into an event as JSON. */
export const topCollections = (collections: ArchiveContents['collections']): ArchiveContents['collections'] =>
  takeWithinBytes(collections, { sizeOf: ([id]) => countBytes(id), maxBytes: topBytesMax, maxCount: 1_000 });

/** When a backup completed now expires; null if it is kept forever. A clock that was set back does not shorten the time. */
export const expiryOf = ({ retentionDays, createdAt }: BackupRecord, completedAt: Date): string | null => {
  if (retentionDays === undefined) return null;
  const from = new Date(Math.max(Date.parse(createdAt), completedAt.getTime()));
  return iso(after(from, retentionDays * 24 * 3_600));
};

/** Materialized for one restore from captured changes. It expires in days, and neither replaces a backup nor serves as a base of captures. */
export const isRestorePointBackup = ({ trigger, retentionDays }: Pick<BackupRecord, 'trigger' | 'retentionDays'>): boolean =>
  trigger === 'pitr-base' && retentionDays !== undefined;

/** Made by a restore for itself: its safety backup, or the moment that it restores. */
export const isInternalBackup = (backup: Pick<BackupRecord, 'trigger' | 'retentionDays'>): boolean =>
  backup.trigger === 'safety' || isRestorePointBackup(backup);

type Scope = Pick<BackupRecord, 'collections' | 'excludedCollections' | 'isPartial' | 'mayLackCollections'>;

/** Whether a document that it lacks did not exist. */
export const isWholeBackup = ({ collections, excludedCollections, isPartial, mayLackCollections }: Scope): boolean =>
  collections.includes('*') && excludedCollections.length === 0 && !isPartial && !mayLackCollections;

/** Of the newest ones: what is looked for without a choice of a backup should not be missed because of the backup. */
const newestMax = 50;

/** The first whole one of backups that come newest first, or else the first. */
export const preferWhole = async <T extends Scope>(newestFirst: AsyncIterable<T> | Iterable<T>): Promise<T | undefined> => {
  let newest: T | undefined;
  let count = 0;
  for await (const backup of newestFirst) {
    if (isWholeBackup(backup)) return backup;
    newest ??= backup;
    if (++count === newestMax) break;
  }
  return newest;
};

/** An imported backup has no recorded length; each archive it depends on counts as one link. */
export const chainLengthOf = ({ type, chainLength, needs = [] }: BackupRecord): number =>
  chainLength ?? (type === 'full' ? 0 : Math.max(1, needs.length));
