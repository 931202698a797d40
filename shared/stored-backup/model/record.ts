/** The items of backups. Every key begins with the tenant. */
import type * as z from 'zod/mini';
import type { CapturedPart } from '../../anomaly/index.ts';
import type { FilterEntry, ObjectEntry, PageEntry } from '../../archive/index.ts';
import type { Backup } from '../../contract/models/backup.ts';
import { type FailingRuns, type WaitingRecord, workPartition } from '../../job/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

type Shown = z.input<typeof Backup>;
type ShownVerification = NonNullable<Shown['verification']>;
export type BackupAnomaly = NonNullable<Shown['anomaly']>;

export interface JobCreator {
  readonly type: string;
  readonly id: string;
  readonly email?: string | null;
  /** Of an API key. */
  readonly name?: string;
}

export interface BackupRecord extends Item, TestNotes, WaitingRecord {
  readonly id: string;
  readonly projectId: string;
  /** Its name when the backup started; absent in records of earlier versions. */
  readonly projectName?: string;
  readonly type: Shown['type'];
  /** The backup it was compared with. `needs` lists the archives required to read it. */
  readonly parentBackupId: string | null;
  /** Number of incremental backups since the full backup its chain began with. */
  readonly chainLength?: number;
  /** Archives of other backups whose chunks its index refers to; known once it is completed. */
  readonly needs?: readonly string[];
  /** Backups that were started with this one as their parent. A delete is conditioned on the number it read. */
  readonly builtUpon?: number;
  /** The backup a synthetic full is made from, instead of the source. */
  readonly synthesizedFrom?: string;
  /** Why it is full although an incremental one was requested. */
  readonly fullBecause?: string;
  /** The time of the source, by its own clock, when access to it was checked. */
  readonly sourceSeenAt?: string;
  /** The source was to be read, whatever is captured. */
  readonly mustRead?: true;
  /** What its documents were taken from; chosen when it is planned. Absent in records of earlier versions, which read the source. */
  readonly builtFrom?: 'changes' | 'source';
  /** Why it read the source although changes are captured. */
  readonly builtFromReason?: string;
  /** The base that it is built upon, together with the changes captured since. */
  readonly buildBase?: { readonly backupId: string; readonly readTime: string };
  /** The captured changes since that base, stored by the plan: its index refers to them. Absent if nothing has changed. */
  readonly delta?: StoredDelta;
  /**
   * If leaves are copied from that base: the version of the erasure ledger by then, 0 if there was none. What it names is in none of them, not even
   * as a version that the base no longer has.
   */
  readonly erasuresHeeded?: number;
  /** If it is built from changes: since when every document was read from the source at least once. */
  readonly auditedSince?: string;
  readonly status: Shown['status'];
  readonly phase: Shown['phase'];
  readonly trigger: Shown['trigger'];
  readonly scheduleId: string | null;
  readonly collections: readonly string[];
  readonly excludedCollections: readonly string[];
  readonly includeAuthUsers: boolean;
  /** It holds single documents, or its scope is unknown: a document it lacks may have existed. */
  readonly isPartial?: boolean;
  /** Imported from another database, so it protects nothing of its project. */
  readonly isForeign?: boolean;
  /** Of a point in time: collections that are not proven complete at that moment. */
  readonly lacks?: Shown['lacks'];
  /** Its completeness was not counted: a restore deletes no nested documents in collections that it does not list. */
  readonly mayLackCollections?: boolean;
  /** Of these collections a missing document may have existed; `*`: of all at the root; `**`: of all. */
  readonly absenceUnknown?: readonly string[] | undefined;
  readonly maxReads?: number;
  /** The list price of reads when it started; absent in records of earlier versions. */
  readonly usdPerMillionReads?: number;
  /** Days to keep it after completion; kept forever if absent. */
  readonly retentionDays?: number;
  /** The retention policy its schedule had when it was started. */
  readonly retentionPolicy?: NonNullable<Shown['retentionPolicy']>;
  /** The time zone of that policy, in case the schedule is deleted. */
  readonly retentionTimezone?: string;
  readonly storageDestination: Shown['storageDestination'];
  /** The folder of its objects in the bucket, with the destination's prefix and without a trailing slash. */
  readonly path: string;
  /** The identity its objects are bound to: the ids at its creation, even if the record has moved since. */
  readonly archive: { readonly organization: string; readonly project: string; readonly backup: string };
  /** The `key` object. This copy is the trusted one; the copy in the bucket serves readers without the service. */
  readonly keyFile?: Uint8Array;
  readonly encryption: Shown['encryption'];
  /** Ids of other passphrases that the copy in the bucket may need: the outcome of storing it is not known. */
  readonly bucketKeyIds?: readonly string[];
  /** The version of the erasure ledger that was stored with it, if there was one; its manifest says so. */
  readonly erasuresVersion?: number;
  /** SHA-256 of the stored manifest, base64url. Detects a swapped or outdated manifest. */
  readonly manifestDigest?: string;
  /** Documents copied so far. `toldPercent` is the progress that events have reported. */
  readonly documents: number;
  readonly totalDocuments: number | null;
  readonly toldPercent: number;
  readonly shards?: number;
  readonly reads: number;
  readonly readTime: string | null;
  readonly unknownCollections: readonly string[];
  readonly size: number;
  /** Its objects in the bucket; absent in records of earlier versions, and of imported backups. */
  readonly objectCount?: number;
  readonly originalSize: number;
  readonly documentCount: number;
  /** Documents by collection id, the largest first. Pairs, because the SDK rejects a map with a key `constructor`. */
  readonly collectionCounts: readonly (readonly [id: string, documents: number])[];
  readonly countVerified: boolean | null;
  readonly authUsers?: number;
  /** `percent` is absent in verifications of earlier versions. */
  readonly verification: (Omit<ShownVerification, 'percent'> & Partial<Pick<ShownVerification, 'percent'>>) | null;
  readonly verifiedAt: string | null;
  /** Depth of the verification that found damage; cleared once a verification at least as deep passes. */
  readonly damagedDepth?: 'structure' | 'sample' | 'full';
  /** The last backup of the same collections when this one was planned: changes are counted since its read time. */
  readonly comparedWith?: { readonly backupId: string; readonly readTime: string };
  /** What is unusual about it. `anomalyState` is what conditions and filters use. */
  readonly anomaly?: BackupAnomaly;
  readonly anomalyState?: 'open' | 'acknowledged';
  /** What captured changes added to an open mark; absent in marks of earlier versions. */
  readonly anomalyCaptured?: CapturedPart | undefined;
  /** Counts what captured changes wrote into its mark. An acknowledgement is conditioned on the number it read. */
  readonly anomalyRevision?: number;
  /** Backups with an unacknowledged anomaly of which this one is the last from before: it is neither deleted nor expired. */
  readonly heldFor?: readonly string[] | undefined;
  /** Number of restores that read it now. Until they end it is neither deleted nor moved. */
  readonly restoring?: number;
  /** Point-in-time recovery builds on it or uses its key, so it is not deleted. */
  readonly pitrBase?: true;
  /** Of a safety backup: the restore that it can undo. */
  readonly safetyOf?: string;
  readonly lockedUntil: string | null;
  /** The earliest lock end of all objects it needs, as the store said last; absent in records of earlier versions. */
  readonly immutableUntil?: string | null;
  /** Why the store guarantees less than `lockedUntil`. */
  readonly lockProblem?: NonNullable<Shown['lockProblem']> | undefined;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly seenAt?: string; // When a worker was last seen, to the minute.
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** Start time plus the project's timeout. */
  readonly deadline: string | null;
  readonly error: Shown['error'];
  /** Why its objects stay in the bucket although they should be deleted. */
  readonly objectsKept?: NonNullable<Shown['objectsKept']>;
  /** Of a deleted or expired backup: epoch seconds until which its record is kept. */
  readonly ttl?: number;
  readonly outcomeTold?: boolean;
  /** Why it cannot continue, set by the first step that fails for good. It becomes the `error` when the backup ends. */
  readonly failure?: NonNullable<Shown['error']>;
  /** The last error that a step retried; the likely reason if all attempts fail. */
  readonly trouble?: NonNullable<Shown['error']>;
  /** The valid plan. Of two concurrent planners only the later one's shards are kept. */
  readonly planNumber?: number;
  /** Of an imported backup: its origin, as stated by the caller. */
  readonly source?: string;
  /** `email` is absent in records of earlier versions. */
  readonly createdBy: JobCreator;
  /** Id of the move that brings it in from another organization. Hidden until the move is done. */
  readonly arriving?: string;
  /** Id of the move that takes it to another organization. Visible but immutable until the move is done. */
  readonly leaving?: string;
}

/** A backup whose read time is chosen: every step after planning has one, and so has what can become the parent of another. */
export interface PlannedBackup extends BackupRecord {
  readonly readTime: string;
}
export const isPlanned = (backup: BackupRecord): backup is PlannedBackup => backup.readTime !== null;

/** Throws for a backup that is not planned yet. Steps after planning call it. */
export const assertPlanned = (backup: BackupRecord): PlannedBackup => {
  if (!isPlanned(backup)) throw new Error(`the backup ${backup.id} has no read time yet`);
  return backup;
};

/** A range of documents to copy, or the users. A worker continues after the last stored part. */
export interface ShardRecord extends Item {
  readonly number: number;
  /** Absent for the users. Bounds as JSON text, because names may contain NUL. */
  readonly range?: string;
  /** Full name of the last document in a stored part, as JSON text. */
  readonly after?: string;
  /**
   * Part numbers claimed so far. Each run claims a new one and commits only while it is the last, so an abandoned run that
   * wakes up again neither overwrites nor completes anything.
   */
  readonly parts: number;
  /** The last stored part; absent before the first. */
  readonly stored?: number;
  readonly isDone: boolean;
  /** Documents in stored parts. */
  readonly documents: number;
  /** Documents of this shard in the backup's counters: at least those stored, more while a part is being written. */
  readonly counted: number;
  readonly reads: number;
  /** False if the source does not count; absent until the range is done. */
  readonly countVerified?: boolean;
  readonly failing?: FailingRuns;
}

/** An index and the chunk of its new records, both stored and confirmed. */
export interface PartContents {
  /** Absent if no record was written. */
  readonly chunk?: ObjectEntry;
  /** Leaves that were copied from another backup without compressing them again. */
  readonly copied?: ObjectEntry;
  /** Of these two chunks: what a search may look for in their leaves. */
  readonly filter?: FilterEntry;
  readonly copiedFilter?: FilterEntry;
  readonly index: ObjectEntry;
  /** Checksums of the bytes that were sent, of a kind that the store reports; compared with the store before the backup completes. */
  readonly checksums?: {
    readonly chunk?: string;
    readonly copied?: string;
    readonly index?: string;
    readonly filter?: string;
    readonly copiedFilter?: string;
  };
  readonly pages: readonly PageEntry[];
  /** Written and inherited records. */
  readonly records: number;
  /** Chunks of earlier backups that it inherits records from. */
  readonly kept?: readonly KeptChunk[];
  /** How many of the records are tombstones. */
  readonly tombstones?: number;
  /** Bytes of the documents, or users, as the source encodes them. */
  readonly originalSize: number;
  /** Documents by collection id, as JSON text: `[["users",3]]`. */
  readonly collections: string;
  /** Statistics of the documents that were read, as JSON text; absent in parts that were not copied from a source. */
  readonly statistics?: string;
  /** Of a backup built from changes: how many documents more than the base has in this range. */
  readonly difference?: number;
  /** `originalSize`, `collections` and `statistics` say how they differ from those of the base, whose other documents were not read. */
  readonly isRelative?: true;
}

/** A chunk in name order with the last state of every document that has changed since the base; deletions are tombstones. */
export interface StoredDelta {
  readonly chunk: ObjectEntry;
  readonly checksum?: string | undefined;
  readonly filter?: FilterEntry | undefined;
  readonly filterChecksum?: string | undefined;
}

/** Some leaves of a delta, as a page of an index. Shards seek in it. */
export interface DeltaPageRecord extends Item {
  readonly page: Uint8Array;
}

/** What surrounds the documents, captured for a backup that runs: compressed JSON. */
export interface ConfigurationRecord extends Item {
  readonly json: Uint8Array;
}

export interface KeptChunk {
  readonly backup: string;
  readonly name: string;
}

export interface PartRecord extends Item, PartContents {
  readonly number: number;
  readonly part: number;
}

/** Marks a backup that runs, or that ended without completing and awaits its clean-up. The reaper reads these. */
export interface RunningRecord extends Item {
  readonly organizationId: string;
  readonly backupId: string;
  readonly since: string;
  /** When the reaper started its workflow, because the start task was lost. */
  readonly restartedAt?: string;
  /** Clean-ups that the store refused. The next one is due at `dueAt`. */
  readonly cleanUpAttempts?: number;
  readonly dueAt?: string;
}

export const runningPartition = 'RUNNING#BACKUP';
export const backupPrefix = 'BACKUP#';
export const verifyingPrefix = 'VERIFYING#';
const digits = (number: number, width: number): string => String(number).padStart(width, '0');

interface DeltaPage {
  readonly planNumber: number;
  readonly page: number;
}

export const backupKey = {
  backup: (tenant: Tenant, backupId: string): Key<BackupRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${backupPrefix}${backupId}`,
  }),
  /** Shards and parts are work items in a partition of their own, deleted when the backup has ended. */
  shard: (tenant: Tenant, backupId: string, number: number): Key<ShardRecord> => ({
    pk: workPartition(tenant, backupId),
    sk: `SHARD#${digits(number, 8)}`,
  }),
  part: (tenant: Tenant, backupId: string, { number, part }: Pick<PartRecord, 'number' | 'part'>): Key<PartRecord> => ({
    pk: workPartition(tenant, backupId),
    sk: `PART#${digits(number, 8)}#${digits(part, 4)}`,
  }),
  /** Of a plan; two concurrent planners store one each. */
  deltaPage: (tenant: Tenant, backupId: string, { planNumber, page }: DeltaPage): Key<DeltaPageRecord> => ({
    pk: workPartition(tenant, backupId),
    sk: `DELTA#${digits(planNumber, 4)}#${digits(page, 8)}`,
  }),
  configuration: (tenant: Tenant, backupId: string): Key<ConfigurationRecord> => ({
    pk: workPartition(tenant, backupId),
    sk: 'CONFIGURATION',
  }),
  running: (tenant: Tenant, backupId: string): Key<RunningRecord> => ({
    pk: runningPartition,
    sk: `${tenant.organizationId}#${backupId}`,
  }),
  verifying: (tenant: Tenant, backupId: string): Key => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${verifyingPrefix}${backupId}`,
  }),
  /** Links an archive to a record that uses its objects. */
  archive: (tenant: Tenant, archiveBackupId: string, backupId: string): Key => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `ARCHIVE#${archiveBackupId}#${backupId}`,
  }),
};

/** The retention of the backup's objects in a store with object lock. */
export const objectLockOf = ({ lockedUntil }: BackupRecord): { readonly lockedUntil?: Date } =>
  lockedUntil === null ? {} : { lockedUntil: new Date(lockedUntil) };

/** What a backup's record notes about restore tests. */
interface TestNotes {
  /** When a test of it last passed. */
  readonly restoreTestedAt: string | null;
  /** The run that did. Absent if it was one of an earlier version, which may have written nothing. */
  readonly restoreTestedBy?: string;
}
