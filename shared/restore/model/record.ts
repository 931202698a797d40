/** Records of restores and their keys. Every key begins with the tenant. */
import type * as z from 'zod/mini';
import type { RestoreFailure, RestoreJob, RestorePlan } from '../../contract/models/restore.ts';
import type { StorageType } from '../../contract/storage-types.ts';
import type { RateState } from '../../firestore/index.ts';
import { type FailingRuns, type JobRecord, type Reason, type WaitingRecord, workPartition } from '../../job/index.ts';
import type { PointInTime } from '../../pitr/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';
import type { BackupRecord, JobCreator, PartContents } from '../../stored-backup/index.ts';
import type { MaskedFields } from '../transform/restore-transform.ts';

type Shown = z.input<typeof RestoreJob>;
export type PlanCounts = Omit<z.output<typeof RestorePlan>, 'notFound' | 'deletions' | 'deleteDigest' | 'documentsErased'>;
export type Failure = z.output<typeof RestoreFailure>;

/** Outcomes of planned writes, exact as of the last committed checkpoints of the writers. */
export interface WriteCounts {
  readonly written: number;
  readonly deleted: number;
  /** Planned to be created, but created by someone else first. */
  readonly raced: number;
  readonly failed: number;
  /** Planned, but erased before they were written or deleted. Absent in records of earlier versions. */
  readonly erased?: number;
}

export interface RestoreRecord extends JobRecord, WaitingRecord, WriteCounts, MaskedFields, PlanNotes {
  readonly id: string;
  readonly status: Shown['status'];
  readonly phase: Shown['phase'];
  readonly backupId: string;
  readonly projectId: string;
  /** Project names at the start of the restore; the id if the project was gone by then. */
  readonly projectName: string;
  readonly targetProjectId: string;
  readonly targetProjectName: string;
  readonly backupCreatedAt: string;
  /** Point-in-time restore: what the first step builds the backup from. */
  readonly point?: RestorePoint;
  /** The job only builds that backup: neither the backup nor the target is read. */
  readonly buildsOnly?: boolean;
  /** Otherwise: what its backup lacks of the request, if that was built for a point in time. */
  readonly lacks?: NonNullable<BackupRecord['lacks']>;
  /** Attempts to build it so far. Each attempt writes to a folder of its own. */
  readonly pointTries?: number;
  /** The attempt that became the backup. */
  readonly pointMade?: number;
  readonly mergeMode: Shown['mergeMode'];
  readonly dryRun: boolean;
  /** Requested collections. Requested documents have an item of their own (`ScopeRecord`), because there may be many. */
  readonly collections: readonly string[];
  /** The first 100 requested documents, as they were given, as far as they fit into the item. */
  readonly documentIds?: readonly string[];
  readonly includeSubcollections: boolean;
  readonly includeAuthUsers: boolean;
  readonly maxWritesPerSecond?: number;
  /** Whether touched documents are saved with their contents; otherwise the journal holds names only. */
  readonly safetyBackup: boolean;
  /** Of a restore test: documents that the target has already are written, too. With `mergeMode` overwrite only. */
  readonly writesEqual?: boolean;
  /** The restore that this one undoes, from that one's journal. */
  readonly undoOf: string | null;
  readonly undoneBy: string | null;
  /** The last undo that was started, however far it got: a restore that may be partly undone cannot be resumed. */
  readonly undoBegunBy?: string;
  /**
   * Undo of an incomplete restore: the backup that one wrote from, and its mode. Which documents it wrote is unknown, so only
   * those that are as it would have left them are undone.
   */
  readonly leftBy?: Pick<RestoreRecord, 'backupId' | 'mergeMode' | 'transform'>;
  /** Each attempt has a workflow execution of its own, named `<id>-<attempt>`. */
  readonly attempt: number;
  readonly journal: Journal;
  /** Unsealed journals of earlier attempts; their objects are deleted when the restore ends. */
  readonly givenUp?: readonly Journal[];
  /** When the check and the journal were complete: from then on the target is written to. */
  readonly sealedAt?: string;
  /** Set when sealing creates the safety backup's record; absent if nothing will be touched. */
  readonly safetyBackupId?: string;
  /** The target's time before the first write: older documents were not written by this job. */
  readonly since?: string;
  readonly shards?: number;
  /** Estimated number of backup records to check, and how many are checked. */
  readonly expected: number;
  readonly checked: number;
  /** Null until the check is complete. */
  readonly plan: PlanCounts | null;
  /** The `deleteDigest` of the plan that the caller has seen: the restore fails before it writes if its own differs. */
  readonly allowedDeletes?: string;
  /** Requested names that the backup lacks, as far as they fit into the item. */
  readonly notFound: readonly string[];
  readonly notFoundCount?: number;
  readonly unknownCollections?: readonly string[];
  readonly unknownCollectionsCount?: number;
  /** Rollback of names that the backup lacks: the failure if the target lacks them, too. */
  readonly nothingFound?: Reason;
  /** What would fail a verification of the backup; the first ones, and how many there are. Absent if there are none. */
  readonly findings?: Shown['findings'];
  readonly findingsCount?: number;
  /** Acknowledged after this attempt had ended; reset when another starts. */
  readonly lateWritten?: number;
  readonly lateDeleted?: number;
  readonly users?: Shown['authUsers'];
  /** Skipped users that someone else created after the check. */
  readonly racedUsers?: number;
  readonly collectionsRestored: number;
  readonly failures: readonly Failure[];
  readonly reads: number;
  readonly toldPercent: number;
  /** Cancelled, but its writers may not have stopped yet. */
  readonly cancelling?: boolean;
  readonly createdAt: string;
  /** When one of its workers was last seen, to the minute. */
  readonly seenAt?: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly undoUntil: string | null;
  readonly error: Shown['error'];
  readonly createdBy: JobCreator;
  /** Moved with its target from another organization, without its work items: it can be undone, not resumed. */
  readonly isCarried?: boolean;
}

/**
 * The documents that a restore touches, each as it was before: an archive in the customer's bucket. A document that did not exist
 * is a tombstone. The journal is the plan that is written and, with contents, the safety backup. Sealing makes it a backup with
 * a record; until then it is only objects below `path`.
 */
export interface Journal {
  /** The id of the safety backup. An abandoned journal is never continued: the next attempt has a new one. */
  readonly backupId: string;
  readonly storageDestination: { readonly id: string; readonly name: string; readonly type: StorageType };
  /** Key prefix of its objects in the bucket, including the destination's prefix. */
  readonly path: string;
  readonly encryption: { readonly mode: 'kms' | 'customer'; readonly keyId: string };
  /** The `key` object; set by the first step. */
  readonly keyFile?: Uint8Array;
  /** SHA-256 of the sealed manifest, base64url. */
  readonly manifestDigest?: string;
}

/** A point in time that the first step builds a backup of, without reading the source. */
export interface RestorePoint extends PointInTime {
  /** Backups to hold until it is built. */
  readonly holds: readonly string[];
  readonly storageDestination: Journal['storageDestination'];
  /** Key prefix of the objects of its first attempt. */
  readonly path: string;
}

/** The requested documents as JSON text: unique paths, ascending. Bare ids are expanded to a path per collection. */
export interface ScopeRecord extends Item {
  readonly documents: string;
  /** JSON text of `[given, paths][]`, to report which were not found. */
  readonly given: string;
}

/** A shard: a range of names, or all users. It is checked first, then written. */
export interface RestoreShardRecord extends Item, WriteCounts, Omit<MaskedFields, 'transform'>, PlanNotes {
  readonly number: number;
  /** Bounds as JSON text; undefined for the users. The shard covers their intersection with the scope. */
  readonly range?: string;
  readonly expected: number;
  /** JSON text of the path up to which everything is checked and stored in the journal. */
  readonly checkedTo?: string;
  /** Part numbers handed out so far: a run commits only while its own is the last. */
  readonly parts: number;
  /** The last part that was committed, even if empty. */
  readonly stored?: number;
  readonly isChecked: boolean;
  readonly checked: number;
  readonly plan: PlanCounts;
  /** Ids of the restored collections, as JSON text. */
  readonly collections: string;
  readonly reads: number;
  /** JSON text of the path up to which the outcome of every write is known. */
  readonly writtenTo?: string;
  /** Writer runs handed out so far: a run commits only while its own is the last. */
  readonly runs: number;
  /** A run may have written beyond `writtenTo` without a checkpoint: the next one reads before it writes. */
  readonly isUnsure?: boolean;
  /** The whole shard is written again, because an earlier attempt did not write everything. */
  readonly isReopened?: boolean;
  /** Number of committed reports, so that none is applied twice. */
  readonly reports?: number;
  readonly isWritten: boolean;
  readonly failing?: FailingRuns;
  readonly failures: readonly Failure[];
  /** Since when the target accepts no writes. */
  readonly stalledSince?: string;
}

export interface JournalPartRecord extends Item, PartContents {
  readonly number: number;
  readonly part: number;
}

/** A restore that runs, or has ended and is not cleaned up yet. */
export interface RunningRestore extends Item {
  readonly organizationId: string;
  readonly restoreJobId: string;
  readonly attempt: number;
  readonly since: string;
  /** When the reaper started the workflow because the start task was lost. */
  readonly restartedAt?: string;
  /** The restore has ended and can be resumed until then; clean-up waits for it. */
  readonly dueAt?: string;
}

/** Backups that an attempt reads and holds: its backup, or those the point in time is built from. */
export const heldBackups = ({ backupId, point, pointMade }: RestoreRecord): readonly string[] =>
  point && pointMade === undefined ? point.holds : [backupId];

export const runningRestores = 'RUNNING#RESTORE';
export const restorePrefix = 'RESTORE#';
export const writerPrefix = 'WRITER#';
const digits = (number: number, width: number): string => String(number).padStart(width, '0');

interface ShardPart {
  /** The number of the shard. */
  readonly number: number;
  readonly part: number;
}

interface ShardRun {
  /** The number of the shard. */
  readonly number: number;
  readonly run: number;
}

export const restoreKey = {
  restore: (tenant: Tenant, id: string): Key<RestoreRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${restorePrefix}${id}`,
  }),
  scope: (tenant: Tenant, id: string): Key<ScopeRecord> => ({ pk: workPartition(tenant, id), sk: 'SCOPE' }),
  pace: (tenant: Tenant, id: string): Key<RateRecord> => ({ pk: workPartition(tenant, id), sk: 'PACE' }),
  shard: (tenant: Tenant, id: string, number: number): Key<RestoreShardRecord> => ({
    pk: workPartition(tenant, id),
    sk: `SHARD#${digits(number, 8)}`,
  }),
  part: (tenant: Tenant, id: string, { number, part }: ShardPart): Key<JournalPartRecord> => ({
    pk: workPartition(tenant, id),
    sk: `PART#${digits(number, 8)}#${digits(part, 4)}`,
  }),
  writer: (tenant: Tenant, id: string, { number, run }: ShardRun): Key<WriterRecord> => ({
    pk: workPartition(tenant, id),
    sk: `${writerPrefix}${digits(number, 8)}#${run}`,
  }),
  running: (tenant: Tenant, id: string): Key<RunningRestore> => ({ pk: runningRestores, sk: `${tenant.organizationId}#${id}` }),
};

/** What a plan deletes. Plans from before it was recorded lack it. */
export interface PlannedDeletions {
  /** Equal for equal sets; a sum, so that parts of a plan can be added in any order. */
  readonly deleteDigest: string;
  /** The first paths; users are `accounts/<id>`. */
  readonly deletions: readonly string[];
}

/** What a record notes about its plan besides the counts; records of earlier versions lack it. */
interface PlanNotes extends Partial<PlannedDeletions> {
  /** Documents of the backup, in scope, that an erasure hid from the check. */
  readonly erasedInCheck?: number;
}

/** Lease of a writer run: the target stays locked until it is released or expires. */
export interface WriterRecord extends Item {
  /** A crashed function cannot write after this time. */
  readonly until: string;
}

/** The rate limit that all writers of a restore share. */
export interface RateRecord extends Item {
  readonly version: number;
  readonly state: RateState;
  readonly ttl: number;
}
