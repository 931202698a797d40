/** Records of exports and their keys. Every key begins with the tenant, except those that only the reaper reads. */
import type * as z from 'zod/mini';
import type { Export } from '../../contract/models/export.ts';
import type { TransformRule } from '../../contract/models/transform.ts';
import { type JobRecord, type RunningJobItem, type WaitingRecord, workPartition } from '../../job/index.ts';
import type { TransformCounts } from '../../mask/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';
import type { BackupRecord, JobCreator } from '../../stored-backup/index.ts';

type Shown = z.output<typeof Export>;

export interface ExportRecord extends JobRecord, WaitingRecord {
  readonly id: string;
  readonly status: Shown['status'];
  readonly phase: Shown['phase'];
  /** When the phase began. */
  readonly phaseSince: string;
  /** Workflow executions so far; the reaper starts another one if one dies. */
  readonly attempt: number;
  readonly projectId: string;
  readonly projectName: string;
  /** Of a moment: null until its backup is built. */
  readonly backupId: string | null;
  readonly pointInTime: string | null;
  /** Of the backup, or the moment; absent in older records. */
  readonly readTime?: string | null;
  /** The job that builds the backup of the moment. */
  readonly buildJobId?: string;
  /** Whether the export holds its backup, which then stays. */
  readonly isHeld: boolean;
  readonly format: Shown['format'];
  readonly columns: readonly string[] | null;
  readonly exactText: boolean;
  readonly collections: readonly string[];
  readonly unknownCollections: readonly string[];
  readonly unknownCollectionsCount?: number;
  /** What is not proven of its backup, which was built for a restore of a moment. */
  readonly lacks?: BackupRecord['lacks'];
  readonly transform?: { readonly rules: readonly TransformRule[]; readonly allowUnmatched: boolean };
  /** What the rules changed; once everything is written. */
  readonly transformed?: TransformCounts;
  readonly storageDestination: Shown['storageDestination'];
  /** Which bucket the destination named when the export started; absent in older records. */
  readonly location?: string;
  /** Key prefix of its files in the bucket, including the prefix of the destination. */
  readonly path: string;
  /** Ranges of the backup; absent until it is planned. */
  readonly shards?: number;
  /** Records in scope, by the index; null until it is planned. */
  readonly expected: number | null;
  /** Ranges that were read to find the columns, and ranges that were written. */
  readonly shardsRead: number;
  readonly shardsWritten: number;
  readonly documentsRead: number;
  readonly documents: number;
  readonly documentsErased: number;
  readonly files: number;
  readonly bytes: number;
  readonly manifest: Shown['manifest'];
  /** Public keys for whose owners the files are encrypted. */
  readonly recipients?: readonly string[];
  /** Whether the files are only to be downloaded. */
  readonly download?: boolean;
  /** Days after which the files of a completed export are deleted. */
  readonly retention?: number;
  readonly expiresAt?: string;
  readonly filesDeletedAt?: string;
  /** Why the files are still there although they have expired. */
  readonly filesKeptReason?: string;
  readonly cancelling?: boolean;
  /** Of a failed export: until then what it has written is kept, and it can be resumed. */
  readonly resumableUntil?: string;
  /** The version of the erasure ledger when it began. */
  readonly erasuresVersion?: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** When one of its workers was last seen, to the minute. */
  readonly seenAt?: string;
  readonly error: Shown['error'];
  readonly createdBy: JobCreator;
}

/** A range of the names of the backup. One run of a worker handles it as a whole, so that its files are the same in every run. */
export interface ExportShardRecord extends Item {
  readonly number: number;
  /** Bounds as JSON text. */
  readonly range: string;
  readonly expected: number;
  readonly isRead?: boolean;
  readonly isWritten?: boolean;
  readonly transformed?: TransformCounts;
  readonly ttl: number;
}

/** A file in the bucket, relative to the folder of the export. */
export interface ExportedFile {
  readonly name: string;
  /** The id of its collections; null if it has the documents of all, or none. */
  readonly collection: string | null;
  readonly documents: number;
  readonly bytes: number;
  /** Of an encrypted file: its size before. */
  readonly plainBytes?: number;
  readonly sha256: string;
}

/** A piece of a long text that belongs to a job, as gzip. */
export interface ExportTextItem extends Item {
  readonly text: Uint8Array;
  readonly ttl: number;
}

export interface RunningExport extends RunningJobItem {
  readonly exportId: string;
  readonly attempt: number;
}

/** Lists the files of an export, in its folder. */
export const manifestFile = 'manifest.json';

export const exportPrefix = 'EXPORT#';
export const runningExports = 'RUNNING#EXPORT';
const digits = (number: number): string => String(number).padStart(8, '0');

/** A text of a job: what was found of the columns, or the files of a range. */
export type ExportText = 'COLUMNS' | 'FILES';

export const exportKey = {
  export: (tenant: Tenant, id: string): Key<ExportRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${exportPrefix}${id}`,
  }),
  shard: (tenant: Tenant, id: string, number: number): Key<ExportShardRecord> => ({
    pk: workPartition(tenant, id),
    sk: `SHARD#${digits(number)}`,
  }),
  /** `of`: the number of a range, or what all of them have together. */
  textPrefix: (kind: ExportText, of: number | 'all'): string => `${kind}#${of === 'all' ? of : digits(of)}#`,
  text: (
    tenant: Tenant,
    id: string,
    { kind, of, piece }: { readonly kind: ExportText; readonly of: number | 'all'; readonly piece: number },
  ): Key<ExportTextItem> => ({
    pk: workPartition(tenant, id),
    sk: `${exportKey.textPrefix(kind, of)}${digits(piece)}`,
  }),
  running: (tenant: Tenant, id: string): Key<RunningExport> => ({ pk: runningExports, sk: `${tenant.organizationId}#${id}` }),
};

/** Expiry of work items that no clean-up has deleted. */
export const workItemsSeconds = 30 * 24 * 3_600;
