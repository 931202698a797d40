/** Where backups are kept while they are made and after. Every key begins with the tenant. */
import type * as z from 'zod';
import type { ObjectEntry, PageEntry } from '../../archive/index.ts';
import type { Backup } from '../../contract/models/backup.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

type Shown = z.output<typeof Backup>;

export interface BackupRecord extends Item {
  readonly id: string;
  readonly projectId: string;
  readonly type: Shown['type'];
  /** The backup that it was compared with; what it needs to be read is said by `needs`. */
  readonly parentBackupId: string | null;
  /** Steps from the full backup that its chain began with. */
  readonly chainLength?: number;
  /** Archives of other backups in whose chunks its index finds records; known once it is completed. */
  readonly needs?: readonly string[];
  /** How often a backup was begun upon this one: whoever takes it away does so only while the number is as it was read. */
  readonly builtUpon?: number;
  /** The backup whose contents it is made of, instead of the source. */
  readonly synthesizedFrom?: string;
  /** Why it is full although an incremental one was wanted. */
  readonly fullBecause?: string;
  readonly status: Shown['status'];
  readonly phase: Shown['phase'];
  readonly trigger: Shown['trigger'];
  readonly scheduleId: string | null;
  /** What was asked for. */
  readonly collections: readonly string[];
  readonly excludedCollections: readonly string[];
  readonly includeAuthUsers: boolean;
  /** It holds single documents, or does not tell what it was to hold: that it lacks a document says nothing of that. */
  readonly isPartial?: boolean;
  /** Nobody counted whether it has every collection: documents below others, in collections that it does not list, are not deleted. */
  readonly mayLackCollections?: boolean;
  readonly maxReads?: number;
  /** Days to keep it once it is completed; for ever if absent. */
  readonly retentionDays?: number;
  /** What its schedule kept by as it was started. */
  readonly retentionPolicy?: NonNullable<Shown['retentionPolicy']>;
  /** Whose days, weeks and months those are, should the schedule be gone one day. */
  readonly retentionTimezone?: string;
  readonly storageDestination: Shown['storageDestination'];
  /** Where its objects are below the bucket, the destination's prefix included; no slash at its end. */
  readonly path: string;
  /** What its objects are bound to: the ids of its first day, wherever the record has moved to since. */
  readonly archive: { readonly organization: string; readonly project: string; readonly backup: string };
  /** The `key` object as stored. The record's own is what is trusted; the one in the bucket serves whoever has no service. */
  readonly keyFile?: Uint8Array;
  readonly encryption: Shown['encryption'];
  /** SHA-256 of the stored manifest, base64url: a swapped or older one is noticed. */
  readonly manifestDigest?: string;
  /** Documents copied so far, and the percent that events have told of. */
  readonly documents: number;
  readonly totalDocuments: number | null;
  readonly toldPercent: number;
  readonly shards?: number;
  readonly reads: number;
  readonly readTime: string | null;
  readonly unknownCollections: readonly string[];
  readonly size: number;
  readonly originalSize: number;
  readonly documentCount: number;
  /** Documents by collection id, the largest first. Pairs, because customers choose the ids: the SDK does not take a map with a key `constructor`. */
  readonly collectionCounts: readonly (readonly [id: string, documents: number])[];
  readonly countVerified: boolean | null;
  readonly authUsers?: number;
  readonly verification: Shown['verification'];
  readonly verifiedAt: string | null;
  /** How deep the verification looked that found damage; gone once one as deep has passed. */
  readonly damagedDepth?: 'structure' | 'sample' | 'full';
  readonly restoreTestedAt: string | null;
  /** Restores that read it now: until they have ended it is neither deleted nor moved. */
  readonly restoring?: number;
  /** Captured changes are added to it, or sealed under its key: it is not deleted. */
  readonly pitrBase?: true;
  /** Of a safety backup: the restore that it takes back. */
  readonly safetyOf?: string;
  readonly lockedUntil: string | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** It must have ended by then: the project's timeout, counted from its start. */
  readonly deadline: string | null;
  readonly error: Shown['error'];
  /** Its schedule has heard how it ended. */
  readonly outcomeTold?: boolean;
  /** Why it cannot go on, told by the first step that found out; it becomes the `error` when the backup ends. */
  readonly failure?: NonNullable<Shown['error']>;
  /** What a step stumbled over last and tried again: the likely reason, if all tries fail. */
  readonly trouble?: NonNullable<Shown['error']>;
  /** Which plan counts: of two planners at once, only the later one's shards are kept. */
  readonly planNumber?: number;
  /** Of an imported one: where it came from, as the importer told. */
  readonly source?: string;
  readonly createdBy: { readonly type: string; readonly id: string };
  /** While a project moves in from another organization its backups carry the move's id, and are not shown before it is done. */
  readonly arriving?: string;
  /** The same on the side it leaves: shown until the project has moved, and not to be changed meanwhile. */
  readonly leaving?: string;
}

/** A range to copy, or the users. Its parts are what was copied so far, each complete in itself; a worker goes on after the last. */
export interface ShardRecord extends Item {
  readonly number: number;
  /** Undefined for the users. Bounds as JSON text, because names may hold NUL. */
  readonly range?: string;
  /** Full name of the last document that a stored part holds, as JSON text. */
  readonly after?: string;
  /**
   * Part numbers given out so far. Each run of a worker takes a new one and commits only while it is the last, so a run that
   * was given up and wakes again neither overwrites nor completes anything.
   */
  readonly parts: number;
  /** The last part that is stored; undefined before the first. */
  readonly stored?: number;
  readonly isDone: boolean;
  /** In stored parts. */
  readonly documents: number;
  /** What the backup's own counters have been told of this shard; never less than what is stored, more while a part is under way. */
  readonly counted: number;
  readonly reads: number;
  /** False if the source does not count; undefined until the range is done. */
  readonly countVerified?: boolean;
}

/** An index and the chunk of what is new in it, stored and confirmed. */
export interface PartContents {
  /** None if all its records are kept. */
  readonly chunk?: ObjectEntry;
  readonly index: ObjectEntry;
  readonly pages: readonly PageEntry[];
  /** Written here and kept. */
  readonly records: number;
  /** Chunks of earlier backups that it keeps records in. */
  readonly kept?: readonly KeptChunk[];
  /** Of the records: names of what is not there. */
  readonly tombstones?: number;
  /** Of the documents, or users, as the source encodes them. */
  readonly originalSize: number;
  /** Documents by collection id, as JSON text: `[["users",3]]`. */
  readonly collections: string;
}

export interface KeptChunk {
  readonly backup: string;
  readonly name: string;
}

export interface PartRecord extends Item, PartContents {
  readonly number: number;
  readonly part: number;
}

/** That a backup is under way, or has ended without being completed and is not cleaned up after yet. */
export interface RunningRecord extends Item {
  readonly organizationId: string;
  readonly backupId: string;
  readonly since: string;
  /** When the reaper started its workflow, because nobody else had. */
  readonly restartedAt?: string;
}

/** A moment that was put together for one restore: it is gone in days, and neither stands in for a backup nor is built upon by captures. */
export const isRestorePointBackup = ({ trigger, retentionDays }: Pick<BackupRecord, 'trigger' | 'retentionDays'>): boolean =>
  trigger === 'pitr-base' && retentionDays !== undefined;

export const runningPartition = 'RUNNING#BACKUP';
export const backupPrefix = 'BACKUP#';
export const verifyingPrefix = 'VERIFYING#';
const digits = (number: number, width: number): string => String(number).padStart(width, '0');

export const backupKey = {
  backup: (tenant: Tenant, backupId: string): Key<BackupRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${backupPrefix}${backupId}`,
  }),
  /** Shards and parts are working notes in a partition of their own: they go when the backup has ended. */
  shard: (tenant: Tenant, backupId: string, number: number): Key<ShardRecord> => ({
    pk: workPartition(tenant, backupId),
    sk: `SHARD#${digits(number, 8)}`,
  }),
  part: (tenant: Tenant, backupId: string, number: number, part: number): Key<PartRecord> => ({
    pk: workPartition(tenant, backupId),
    sk: `PART#${digits(number, 8)}#${digits(part, 4)}`,
  }),
  /** Jobs under way, for the reaper. */
  running: (tenant: Tenant, backupId: string): Key<RunningRecord> => ({
    pk: runningPartition,
    sk: `${tenant.organizationId}#${backupId}`,
  }),
  /** A verification under way. */
  verifying: (tenant: Tenant, backupId: string): Key => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${verifyingPrefix}${backupId}`,
  }),
  /** Which records share the objects of an archive: they are removed with the last of them. */
  archive: (tenant: Tenant, archiveBackupId: string, backupId: string): Key => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `ARCHIVE#${archiveBackupId}#${backupId}`,
  }),
};
export const workPartition = (tenant: Tenant, backupId: string): string => `WORK#${tenant.organizationId}#${backupId}`;
