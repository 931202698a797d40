import type { SseAlgorithm, StorageFailureKind } from '../../contract/models/storage-destination.ts';
import type { StorageType } from '../../contract/storage-types.ts';
import type { Item } from '../../platform/index.ts';

/** Access to Cloud Storage without a key: a pool provider that trusts this organization, and the service account to act as. */
export interface StorageIdentity {
  readonly audience: string;
  readonly serviceAccountEmail?: string;
}

export interface DestinationRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly type: StorageType;
  readonly bucket: string;
  /** Without leading or trailing slash; may be empty. */
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint: string | null;
  /** The credentials as JSON, encrypted for this organization and destination. Absent if a project brought it without them. */
  readonly sealed?: Uint8Array;
  /** Access without a key instead of `sealed`. Not encrypted: it contains no secret. */
  readonly workloadIdentity?: StorageIdentity;
  /** The credentials with masked secrets. Empty for a workload identity. */
  readonly masked: Readonly<Record<string, string>>;
  readonly externalId?: string;
  readonly immutable: boolean;
  readonly objectLock: { readonly mode: 'governance' | 'compliance'; readonly days: number } | null;
  /** Server-side encryption of new objects. Null, or absent in records older than the setting: the bucket's default. */
  readonly sse?: SseAlgorithm | null;
  /** For `aws:kms`. Null or absent: the account's default key. */
  readonly sseKmsKeyId?: string | null;
  readonly status: 'connected' | 'error';
  /** Why the last test, or a job, failed. Absent while it is connected, and in records of earlier versions. */
  readonly lastError?:
    | {
        readonly at: string;
        readonly step: string | null;
        /** Absent in records of earlier versions. */
        readonly kind?: StorageFailureKind | null;
        readonly message: string;
      }
    | undefined;
  /** Number of backups at the destination. It cannot be deleted while this is above 0. */
  readonly backupCount: number;
  /** Incremented by every schedule or capture that starts to use it. A deletion compares it with the value it read. */
  readonly scheduledUse?: number;
  readonly lastTestedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
