/** Where projects and the lock of their one job are kept. Every key begins with the tenant. */
import type { Item, Key, Tenant } from '../platform/index.ts';

export interface ProjectRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly sourceProjectId: string;
  readonly databaseId: string;
  readonly status: 'connected' | 'unauthorized';
  readonly connection: Connection;
  readonly settings: {
    readonly backupTimeoutMinutes: number;
    readonly defaultStorageId: string | null;
    readonly maxReads?: number;
  };
  readonly pitr: {
    readonly enabled: boolean;
    readonly retentionDays?: number;
    readonly captureIntervalSeconds?: number;
  };
  readonly lastBackupAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Whose access to the source is used. A grant stays with its person; a key is sealed for this project alone. */
export type Connection =
  | { readonly type: 'user'; readonly userId: string; readonly email: string }
  | { readonly type: 'service_account'; readonly email: string; readonly sealed: Uint8Array };

/**
 * The one job a project may have. It is fenced: whatever a job commits at its end is conditioned on the lock still naming it,
 * so one that was given up and wakes again can complete nothing.
 */
export interface JobRecord extends Item {
  readonly jobId: string;
  readonly kind: 'backup' | 'restore' | 'move';
  readonly since: string;
  /** Of a restore: the database whose lock it has, too (`databaseOf`). */
  readonly database?: string;
}

/**
 * A project under way from one organization to another, kept on both sides under one id. `isHere` is turned over on both in the
 * transaction that moves the project: it tells whether rows that carry the move's id are of this side.
 */
export interface MoveRecord extends Item {
  readonly id: string;
  readonly projectId: string;
  readonly from: string;
  readonly to: string;
  readonly isHere: boolean;
  readonly since: string;
  /** It is being taken back: nothing more is copied, and it cannot be completed. */
  readonly isEnding?: boolean;
}

export const projectPrefix = 'PROJECT#';

export const projectKey = {
  project: (tenant: Tenant, projectId: string): Key<ProjectRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${projectPrefix}${projectId}`,
  }),
  job: (tenant: Tenant, projectId: string): Key<JobRecord> => ({ pk: `ORG#${tenant.organizationId}`, sk: `JOB#${projectId}` }),
  /** The one restore into a database, whichever of the projects that read it was named. */
  databaseJob: (tenant: Tenant, database: string): Key<JobRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `JOB#DB#${database}`,
  }),
  /** Where a project has gone: a call that is repeated after its answer was lost finds it. */
  moved: (tenant: Tenant, projectId: string): Key => ({ pk: `ORG#${tenant.organizationId}`, sk: `MOVED#${projectId}` }),
  move: (tenant: Tenant, projectId: string): Key<MoveRecord> => ({ pk: `ORG#${tenant.organizationId}`, sk: `MOVE#${projectId}` }),
};
