/** Records of projects, their job locks and their moves. Every key begins with the tenant. */
import type { verifyDepths } from '../contract/job-enums.ts';
import type { DatabaseEdition } from '../contract/read-prices.ts';
import type { Item, Key, Tenant } from '../platform/index.ts';

type VerifyDepth = (typeof verifyDepths)[number];

export interface ProjectRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly sourceProjectId: string;
  readonly databaseId: string;
  /** Absent in records of earlier versions. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly status: 'connected' | 'unauthorized';
  readonly connection: Connection;
  readonly settings: {
    readonly backupTimeoutMinutes: number;
    readonly defaultStorageId: string | null;
    readonly maxReads?: number;
    /** Of all reads for the protection of the project; the one that is set. */
    readonly readBudgetPerDay?: { readonly documents: number } | { readonly usd: number };
    /** Paths of fields whose values backups are filtered by; at least one if present. */
    readonly searchFields?: readonly string[];
  };
  /** What the Admin API tells; absent until it was asked. */
  readonly database?: DatabaseInfo;
  readonly pitr: {
    readonly enabled: boolean;
    readonly retentionDays?: number;
    readonly captureIntervalSeconds?: number;
  };
  readonly lastBackupAt: string | null;
  /** The backup that completed then; absent in records of earlier versions. */
  readonly lastBackupId?: string;
  /** The last verification that ended, of any of its backups; absent before the first, and in records of earlier versions. */
  readonly lastVerification?: {
    readonly backupId: string;
    readonly at: string;
    readonly status: 'passed' | 'failed';
    readonly depth: VerifyDepth;
  };
  /** The last restore test that passed; absent before the first, and in records of earlier versions. */
  readonly lastRestoreTest?: {
    readonly runId: string;
    /** Null for a test of a moment. */
    readonly backupId: string | null;
    readonly at: string;
    readonly documents: number | null;
    /** Null if it had no target. */
    readonly documentsWritten: number | null;
  };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What was last learned about the database. It is needed for prices and limits, never to read documents. */
export type DatabaseInfo = { readonly checkedAt: string } & (
  | {
      readonly state: 'known';
      readonly edition: DatabaseEdition;
      readonly locationId: string;
      readonly pointInTimeRecovery: boolean;
      /** Whether changes can be listened to. */
      readonly realtimeUpdates: boolean;
    }
  /** The account may read documents, but not this. */
  | { readonly state: 'permission_missing' }
  /** The Admin API did not answer; it is asked again. */
  | { readonly state: 'unknown' }
);

/**
 * The access to the source: a user's grant, a service account key encrypted for this project, or the name of a pool provider that
 * trusts this organization. Without `userId`, `sealed` or `audience` it stayed in the project's former organization, and the project
 * must be reconnected.
 */
export type Connection =
  | { readonly type: 'user'; readonly userId?: string; readonly email: string }
  | { readonly type: 'service_account'; readonly email: string; readonly sealed?: Uint8Array }
  /** `email` is that of the service account to act as, or empty. */
  | { readonly type: 'workload_identity'; readonly email: string; readonly audience?: string };

/**
 * The lock of a project's one job. It fences: a job's final commit requires that the lock still names it, so a job that was given up
 * cannot complete.
 */
export interface JobLock extends Item {
  readonly jobId: string;
  readonly kind: 'backup' | 'restore' | 'move';
  readonly since: string;
  /** Of a restore: the database it has locked, too (`databaseOf`). */
  readonly database?: string;
}

/**
 * The move of a project to another organization, stored in both under one id. The transaction that moves the project flips `isHere` in
 * both: it says in which organization records with the move's id are visible.
 */
export interface MoveRecord extends Item {
  readonly id: string;
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
  readonly isHere: boolean;
  readonly since: string;
  /** The move is being reverted: nothing more is copied, and it cannot complete. */
  readonly isEnding?: boolean;
}

export const projectPrefix = 'PROJECT#';

export const projectKey = {
  project: (tenant: Tenant, projectId: string): Key<ProjectRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${projectPrefix}${projectId}`,
  }),
  job: (tenant: Tenant, projectId: string): Key<JobLock> => ({ pk: `ORG#${tenant.organizationId}`, sk: `JOB#${projectId}` }),
  /** The lock of a database's one restore, whichever project started it. */
  databaseJob: (tenant: Tenant, database: string): Key<JobLock> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `JOB#DB#${database}`,
  }),
  /** The restore test whose target a database is: until the test ends, it may hold documents of the test. */
  databaseTest: (tenant: Tenant, database: string): Key => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `RESTORETESTLOCK#${database}`,
  }),
  /** The target of a completed move, for a call that is repeated after its response was lost. */
  moved: (tenant: Tenant, projectId: string): Key => ({ pk: `ORG#${tenant.organizationId}`, sk: `MOVED#${projectId}` }),
  move: (tenant: Tenant, projectId: string): Key<MoveRecord> => ({ pk: `ORG#${tenant.organizationId}`, sk: `MOVE#${projectId}` }),
};
