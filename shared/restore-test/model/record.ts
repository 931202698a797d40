/** Items of restore tests: plans, runs and locks. Every key begins with the tenant, except those that only workers read. */

import type * as z from 'zod/mini';
import type { Actor } from '../../audit/index.ts';
import type { JobErrorCode } from '../../contract/errors.ts';
import type { RestoreTest, RestoreTestRun } from '../../contract/models/restore-test.ts';
import type { JobRecord, RunningJobItem } from '../../job/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import type { RecurringRecord } from '../../recurring/index.ts';

type ShownPlan = z.output<typeof RestoreTest>;
type ShownRun = z.output<typeof RestoreTestRun>;

/** The URL and the secret are encrypted; `shownUrl` hides what may be secret in the URL. */
export interface SealedCheck {
  readonly shownUrl: string;
  readonly sealedUrl: Uint8Array;
  readonly sealedSecret: Uint8Array;
  readonly timeoutSeconds: number;
}

/** A plan. */
export interface RestoreTestRecord
  extends Item,
    Pick<RecurringRecord, 'revision' | 'enteredRevision' | 'putOff'>,
    Omit<ShownPlan, 'check'> {
  readonly check: SealedCheck | null;
}

/** What a walk over an archive has found so far. Stored between steps. */
export interface WalkState {
  /** JSON text of the path of the last document compared. */
  readonly after?: string;
  readonly documents: number;
  readonly decoded: number;
  readonly bytes: number;
  readonly compared: number;
  readonly differing: number;
  /** Ids of the collections seen, as JSON text. */
  readonly collections: string;
  /** Chained digest of names and contents, in hex. */
  readonly digest: string;
  /** Why the live database was no longer compared from here on. */
  readonly stopped?: string;
  /** The error of a source that should have been readable: the run fails with it once the archive is read. */
  readonly stoppedBy?: JobErrorCode;
  readonly isDone: boolean;
}

/** A run: the test of one project. */
export interface RunRecord
  extends JobRecord,
    Omit<
      ShownRun,
      'progress' | 'differences' | 'warnings' | 'durations' | 'createdBy' | 'error' | 'id' | 'status' | 'documentsWritten'
    > {
  readonly id: string;
  readonly status: ShownRun['status'];
  readonly createdBy: {
    readonly type: Actor['type'];
    readonly id: string;
    readonly email?: string | null;
    readonly name?: string;
  };
  readonly error: ShownRun['error'];
  /** Workflow executions so far; the reaper starts another if one dies. */
  readonly attempt: number;
  /** Settings of the plan when the run began. */
  readonly settings: { readonly check: SealedCheck | null };
  /** Documents to compare, and compared so far by a step that still runs. */
  readonly totalDocuments: number | null;
  readonly progressDocuments?: number;
  /** To the target, once the restore has ended. Absent in records of earlier versions: see `writtenDocuments`. */
  readonly documentsWritten?: number | null;
  readonly differenceTotal: number;
  readonly differenceItems: ShownRun['differences']['items'];
  /** When each phase began, in ISO 8601. */
  readonly begun: Readonly<Partial<Record<ShownRun['phase'], string>>>;
  readonly endedPhases: Readonly<Partial<Record<ShownRun['phase'], string>>>;
  /** Whether the run holds its projects and its backup. */
  readonly isLocked?: boolean;
  /** The database of the target (`databaseOf`), which several projects may be connected to. */
  readonly targetDatabase?: string;
  readonly isHeld?: boolean;
  /** When its full verification was requested. */
  readonly verificationSince?: string;
  /** The job that builds the backup of a moment if nothing is restored. */
  readonly buildJobId?: string;
  /** When the check had accepted the request, or may have: until then it is sent again. */
  readonly checkSentAt?: string;
  /** Paths of the sample, as JSON text. */
  readonly sample?: string;
  readonly walk?: WalkState;
  /** The walk that checks the removal. */
  readonly removalWalk?: WalkState;
  /** Where the evidence is stored. */
  readonly evidenceDestinationId?: string;
  readonly cancelRequestedAt?: string;
}

/** Marks a run that has not ended. The reaper reads these. */
export interface RunningTest extends RunningJobItem {
  readonly runId: string;
  readonly attempt: number;
}

/** One run at a time uses a project, as source or as target, and the database of a target. */
export interface TestLock extends Item {
  readonly runId: string;
}

export const restoreTestPrefix = 'RESTORETEST#';
export const runPrefix = 'RESTORETESTRUN#';
export const runningTests = 'RUNNING#RESTORETEST';

const organizationPartition = ({ organizationId }: Tenant): string => `ORG#${organizationId}`;

export const restoreTestKey = {
  plan: (tenant: Tenant, restoreTestId: string): Key<RestoreTestRecord> => ({
    pk: organizationPartition(tenant),
    sk: `${restoreTestPrefix}${restoreTestId}`,
  }),
  run: (tenant: Tenant, runId: string): Key<RunRecord> => ({ pk: organizationPartition(tenant), sk: `${runPrefix}${runId}` }),
  /** `locked`: the id of a project, or the database of a target. */
  lock: (tenant: Tenant, locked: string): Key<TestLock> => projectKey.databaseTest(tenant, locked) as Key<TestLock>,
  running: (tenant: Tenant, runId: string): Key<RunningTest> => ({
    pk: runningTests,
    sk: `${tenant.organizationId}#${runId}`,
  }),
};
