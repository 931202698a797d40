/** Where storage destinations are kept. Their key is the organization room's, because its settings name a default one. */
import type { SseAlgorithm, StorageType } from '../../contract/models/storage-destination.ts';
import type { Item } from '../../platform/index.ts';

export interface DestinationRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly type: StorageType;
  readonly bucket: string;
  /** Without slashes at its ends; empty if there is none. */
  readonly prefix: string;
  readonly region: string | null;
  readonly endpoint: string | null;
  /** The credentials as JSON, sealed for this organization and destination. */
  readonly sealed: Uint8Array;
  /** What may be shown of the credentials: names, and stars for secrets. */
  readonly masked: Readonly<Record<string, string>>;
  readonly externalId?: string;
  readonly immutable: boolean;
  readonly objectLock: { readonly mode: 'governance' | 'compliance'; readonly days: number } | null;
  /** How the store is told to encrypt new objects; null or absent, in records older than the setting, for the bucket's default. */
  readonly sse?: SseAlgorithm | null;
  /** For `aws:kms`; the default key of the account where it is null or absent. */
  readonly sseKmsKeyId?: string | null;
  readonly status: 'connected' | 'error';
  /** Backups that lie here: while there are any, it stays. */
  readonly backupCount: number;
  /** One more whenever a schedule or a capture of changes comes to name it: whoever removes it has seen all of those. */
  readonly scheduledUse?: number;
  readonly lastTestedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
