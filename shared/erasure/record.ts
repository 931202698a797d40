/** Items of the erasure ledger. Every key begins with the tenant. What identifies a person is sealed. */
import type * as z from 'zod/mini';
import type { Identity } from '../archive/index.ts';
import type { Erasure } from '../contract/models/erasure.ts';
import type { Item, Key, Tenant } from '../platform/index.ts';

type Shown = z.input<typeof Erasure>;

/** The ledger of a project. Its version increases with every change, so that readers cache by it. */
export interface LedgerRecord extends Item {
  readonly projectId: string;
  /** What its entries are bound to: the ids at its creation, even if the project has moved since. */
  readonly identity: Identity;
  /** The key that seals the entries, wrapped by KMS with the identity as its context. */
  readonly wrappedKey: Uint8Array;
  readonly version: number;
  /** All copies beside the backups have at least this version. */
  readonly storedVersion: number;
  /** Increases when a backup is added, so that a walk that has missed it does not claim to have stored all copies. */
  readonly round: number;
  readonly entries: number;
  /** Sealed bytes of all entries. */
  readonly bytes: number;
}

export interface ErasureRecord extends Item {
  readonly id: string;
  readonly projectId: string;
  /** The version of the ledger that added or last changed it. */
  readonly version: number;
  /** The entry as a sealed object of `sealedVersion`: paths, or field and value. */
  readonly sealed: Uint8Array;
  readonly sealedVersion: number;
  readonly pathCount: number;
  /** Of a query; the value is only in `sealed`. */
  readonly query?: NonNullable<Shown['query']>;
  readonly includeSubcollections: boolean;
  readonly reason: string;
  readonly status: Shown['status'];
  readonly documentsFound: number | null;
  /** The newest backup when the backups were last searched. */
  readonly searchedBackupId?: string;
  /** A search that ran out of time continues with backups older than this one. */
  readonly searchAfter?: string;
  /** Of a query: whether all backups and captured changes were searched for its documents. */
  readonly isResolved?: boolean;
  /** When a search that takes several tasks began, and the round of the ledger then. */
  readonly searchBegan?: { readonly at: string; readonly round: number };
  /** No backup that was completed before this moment holds the documents. */
  readonly searchedTo?: string;
  /** The backup that is being searched, with the segments that are done and the documents found in them. */
  readonly searching?: { readonly backupId: string; readonly segments: number; readonly documents: number };
  /** A search of captured changes that ran out of time continues after this batch. */
  readonly capturesAfter?: string;
  /** Whether captured changes were found to hold the documents. */
  readonly isHeldByCaptures?: boolean;
  /** The backup in which it was last found; null if it was found in none so far. */
  readonly lastHeldBackupId: string | null;
  readonly expiredAt: string | null;
  readonly createdBy: NonNullable<Shown['createdBy']>;
  readonly createdAt: string;
}

const entryPrefix = 'ERASURE#';

export const erasureKey = {
  ledger: (tenant: Tenant, projectId: string): Key<LedgerRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `ERASURES#${projectId}`,
  }),
  erasure: (tenant: Tenant, projectId: string, erasureId: string): Key<ErasureRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${entriesPrefix(projectId)}${erasureId}`,
  }),
};

export const entriesPrefix = (projectId: string): string => `${entryPrefix}${projectId}#`;
