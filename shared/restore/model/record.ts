/** Where restores are kept while they run and after. Every key begins with the tenant. */
import type * as z from 'zod';
import type { PartContents } from '../../backup/index.ts';
import type { RestoreFailure, RestoreJob, RestorePlan } from '../../contract/models/restore.ts';
import type { JobRecord } from '../../job/index.ts';
import type { PointInTime } from '../../pitr/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

type Shown = z.output<typeof RestoreJob>;
export type PlanCounts = Omit<z.output<typeof RestorePlan>, 'notFound'>;
export type Failure = z.output<typeof RestoreFailure>;

export interface RestoreRecord extends JobRecord {
  readonly id: string;
  readonly status: Shown['status'];
  readonly phase: Shown['phase'];
  readonly backupId: string;
  readonly projectId: string;
  /** As both were called when the restore began; the id where the project was gone by then. */
  readonly projectName: string;
  readonly targetProjectId: string;
  readonly targetProjectName: string;
  readonly backupCreatedAt: string;
  /** Of a restore to a moment: what its backup is made of by the first step. */
  readonly point?: RestorePoint;
  /** How often making it was begun: each try has a folder of its own. */
  readonly pointTries?: number;
  /** The try that was kept; from then on the backup is there. */
  readonly pointMade?: number;
  readonly mergeMode: Shown['mergeMode'];
  readonly dryRun: boolean;
  /** What was asked for; the documents named are kept apart (`ScopeRecord`), because there may be many. */
  readonly collections: readonly string[];
  /** Of the documents named, as they were given, the first 100 as far as they fit beside all else. */
  readonly documentIds?: readonly string[];
  readonly includeSubcollections: boolean;
  readonly includeAuthUsers: boolean;
  readonly maxWritesPerSecond?: number;
  /** Whether what will be touched is saved with its contents; without, the journal holds names only. */
  readonly safetyBackup: boolean;
  /** The restore that this one takes back: its backup is that one's journal. */
  readonly undoOf: string | null;
  readonly undoneBy: string | null;
  /** The last undo that was begun, however far it came: what is taken back in part is not resumed. */
  readonly undoBegunBy?: string;
  /**
   * Of an undo of a restore that did not do all it planned: the backup that it wrote from, and how. Nobody knows what it wrote, so
   * only what is as it was to leave it is taken back.
   */
  readonly leftBy?: { readonly backupId: string; readonly mergeMode: Shown['mergeMode'] };
  /** Each has a workflow of its own, named `<id>-<attempt>`. */
  readonly attempt: number;
  readonly journal: Journal;
  /** Journals of earlier attempts that were not sealed: what may still lie in their place is removed when the restore ends. */
  readonly givenUp?: readonly Journal[];
  /** When all was checked and the journal was complete: from then on the target is written to. */
  readonly sealedAt?: string;
  /** The journal as a backup: set with the transaction that makes its record, at sealing, if something will be touched. */
  readonly safetyBackupId?: string;
  /** A time of the target before the first write; what was there by then is not the job's own. */
  readonly since?: string;
  readonly shards?: number;
  /** Records of the backup that are to be looked at, about, and those that were. */
  readonly expected: number;
  readonly checked: number;
  /** Null until all is checked. */
  readonly plan: PlanCounts | null;
  readonly notFound: readonly string[];
  /** Told by the workers while they write, each number exact for the checkpoints that were committed. */
  readonly written: number;
  readonly deleted: number;
  /** Found there by then though the plan was to create them. */
  readonly raced: number;
  readonly failed: number;
  /** Acknowledged after this attempt had ended; gone when another begins. */
  readonly lateWritten?: number;
  readonly lateDeleted?: number;
  readonly users?: Shown['authUsers'];
  /** Of the users that were skipped, those who were there only by the time they were to be created. */
  readonly racedUsers?: number;
  readonly collectionsRestored: number;
  readonly failures: readonly Failure[];
  readonly reads: number;
  readonly toldPercent: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly undoUntil: string | null;
  readonly error: Shown['error'];
  readonly createdBy: { readonly type: string; readonly id: string };
  /** It came with its target from another organization, where its working notes were: it can be taken back, not resumed. */
  readonly isCarried?: boolean;
}

/**
 * The documents that a restore touches, each as it was before: an archive of its own in the customer's bucket. A document that
 * was not there is a tombstone. It is at once the plan that is written and, with contents, the safety backup. It becomes a
 * backup with a record when it is sealed; until then it is only objects below `path`.
 */
export interface Journal {
  /** The id of the safety backup. A journal that was given up is never gone on with: the next attempt has another. */
  readonly backupId: string;
  readonly storageDestination: { readonly id: string; readonly name: string; readonly type: 's3' | 'gcs' | 'spaces' };
  /** Where its objects are below the bucket, the destination's prefix included. */
  readonly path: string;
  readonly encryption: { readonly mode: 'kms' | 'customer'; readonly keyId: string };
  /** The `key` object; set by the first step. */
  readonly keyFile?: Uint8Array;
  /** SHA-256 of the sealed manifest, base64url. */
  readonly manifestDigest?: string;
}

/** A moment that a backup is made of, without reading the source. */
export interface RestorePoint extends PointInTime {
  /** The backups that must stay until it is made. */
  readonly holds: readonly string[];
  readonly storageDestination: Journal['storageDestination'];
  /** Where its first try puts its objects below the bucket. */
  readonly path: string;
}

/** The documents named in the request, as JSON text: paths, ascending, each once; bare ids are spelled out for each collection. */
export interface ScopeRecord extends Item {
  readonly documents: string;
  /** As they were given, with the paths each stands for: to say which were not found. JSON text of `[given, paths][]`. */
  readonly given: string;
}

/** A range of the scope, or the users: first checked, then written. */
export interface RestoreShardRecord extends Item {
  readonly number: number;
  /** Bounds as JSON text; undefined for the users. What is restored is what lies in them and in the scope. */
  readonly range?: string;
  /** Records of the backup in it, about. */
  readonly expected: number;
  /** JSON text of the name below the database up to which all is checked, and stored in the journal. */
  readonly checkedTo?: string;
  /** Part numbers of the journal given out so far: a run commits only while its own is the last. */
  readonly parts: number;
  /** The last part given out that was kept, or had nothing to keep; undefined before the first. */
  readonly stored?: number;
  readonly isChecked: boolean;
  /** What the check has looked at, and decided. */
  readonly checked: number;
  readonly plan: PlanCounts;
  /** Collection ids of documents that are restored, as JSON text. */
  readonly collections: string;
  readonly reads: number;
  /** JSON text of the name up to which every write is known to have been decided. */
  readonly writtenTo?: string;
  /** Runs of writers given out so far: one commits only while its own is the last. */
  readonly runs: number;
  /** Whether a run may have written behind `writtenTo` without telling: the next one looks before it writes. */
  readonly isUnsure?: boolean;
  /** All of it is gone through again: wherever an earlier attempt has written, it did not write everything. */
  readonly isReopened?: boolean;
  /** What writers have told so far, counted: so that nothing is told twice. */
  readonly reports?: number;
  readonly isWritten: boolean;
  readonly written: number;
  readonly deleted: number;
  readonly raced: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  /** Since when the target takes nothing; gone once it does. */
  readonly stalledSince?: string;
}

/** One chunk of the journal and its index, stored and confirmed. */
export interface JournalPartRecord extends Item, PartContents {
  readonly number: number;
  readonly part: number;
}

/** That a run of a writer may write to the target: the target stays locked until it has ended, or cannot be running any more. */
export interface WriterRecord extends Item {
  /** A function that dies without a word is dead by then. */
  readonly until: string;
}

/** That a restore is under way, or has ended and is not cleaned up after yet. */
export interface RunningRestore extends Item {
  readonly organizationId: string;
  readonly restoreJobId: string;
  readonly attempt: number;
  readonly since: string;
  /** When the reaper started its workflow, because nobody else had. */
  readonly restartedAt?: string;
  /** It has ended, and there is nothing to do for it before then: until then it can be resumed. */
  readonly dueAt?: string;
}

/** What an attempt reads, beside what another restore has left: the backup, or what that is to be made of. */
export const heldBackups = ({ backupId, point, pointMade }: RestoreRecord): readonly string[] =>
  point && pointMade === undefined ? point.holds : [backupId];

export const runningRestores = 'RUNNING#RESTORE';
export const restorePrefix = 'RESTORE#';
export const writerPrefix = 'WRITER#';
const digits = (number: number, width: number): string => String(number).padStart(width, '0');

/** Working notes live in a partition of their own, and go when nothing can be resumed any more. */
export const workPartition = (tenant: Tenant, restoreJobId: string): string => `WORK#${tenant.organizationId}#${restoreJobId}`;

export const restoreKey = {
  restore: (tenant: Tenant, id: string): Key<RestoreRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${restorePrefix}${id}`,
  }),
  scope: (tenant: Tenant, id: string): Key<ScopeRecord> => ({ pk: workPartition(tenant, id), sk: 'SCOPE' }),
  /** The pace that all writers of a job share. */
  pace: (tenant: Tenant, id: string): Key => ({ pk: workPartition(tenant, id), sk: 'PACE' }),
  shard: (tenant: Tenant, id: string, number: number): Key<RestoreShardRecord> => ({
    pk: workPartition(tenant, id),
    sk: `SHARD#${digits(number, 8)}`,
  }),
  part: (tenant: Tenant, id: string, number: number, part: number): Key<JournalPartRecord> => ({
    pk: workPartition(tenant, id),
    sk: `PART#${digits(number, 8)}#${digits(part, 4)}`,
  }),
  writer: (tenant: Tenant, id: string, number: number, run: number): Key<WriterRecord> => ({
    pk: workPartition(tenant, id),
    sk: `${writerPrefix}${digits(number, 8)}#${run}`,
  }),
  running: (tenant: Tenant, id: string): Key<RunningRestore> => ({ pk: runningRestores, sk: `${tenant.organizationId}#${id}` }),
};
