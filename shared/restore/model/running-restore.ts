/** A running restore, and the condition under which steps write to it. */
import { idsIn } from '../../contract/ids.ts';
import {
  type Advance,
  assertOrganizationActive,
  assertRunning,
  checkRunningJob,
  JobEndedError,
  type RunControl,
  withHeartbeat as runWithHeartbeat,
  updateRunningJob,
} from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { addLogContext, get, getAll, type Tenant, type Write } from '../../platform/index.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { type RestoreRecord, restoreKey } from './record.ts';
import type { RestoreContext } from './restore-context.ts';

/** Which attempt of which restore a step works for. Each attempt has a workflow of its own. */
export interface RestoreAttempt {
  readonly tenant: Tenant;
  readonly restoreJobId: string;
  readonly attempt: number;
}

/** One run over a shard, which ends at `handOver`. */
export interface ShardAttempt extends RestoreAttempt {
  readonly shard: number;
  readonly handOver: Date;
}

interface RunningRestoreContext {
  readonly restore: RestoreRecord;
  readonly organization: OrganizationRecord;
}

/** Throws JobEndedError if the attempt has ended, and CANCELLED if the organization was deleted. */
export const loadRunning = async ({ tenant, restoreJobId, attempt }: RestoreAttempt): Promise<RunningRestoreContext> => {
  const [restore, organization] = await getAll([
    restoreKey.restore(tenant, restoreJobId),
    organizationKey.organization(tenant),
  ] as const);
  addLogContext(idsIn(restore));
  return { restore: assertSameAttempt(restore, attempt), organization: assertOrganizationActive(organization) };
};

/** Throws JobEndedError if the restore has ended or another attempt is running. */
export const assertSameAttempt = (record: RestoreRecord | undefined, attempt: number): RestoreRecord => {
  const restore = assertRunning(record);
  if (restore.attempt !== attempt) throw new JobEndedError('continued by another attempt');
  return restore;
};

export const assertStillRunning = async (
  tenant: Tenant,
  { id, attempt }: Pick<RestoreRecord, 'id' | 'attempt'>,
): Promise<RestoreRecord> => assertSameAttempt(await get(restoreKey.restore(tenant, id)), attempt);

export const updateRunning = (tenant: Tenant, restoreJobId: string, change: Advance): Write =>
  updateRunningJob(restoreKey.restore(tenant, restoreJobId), change);

export const checkRunning = (tenant: Tenant, restoreJobId: string, expected: Advance['expected'] = {}): Write =>
  checkRunningJob(restoreKey.restore(tenant, restoreJobId), expected);

/** Runs `work` beside a heartbeat that stops the run once the attempt has ended. */
export const withHeartbeat = <T>(
  {
    context: { tenant },
    restore,
    control,
    deps: { clock },
  }: {
    readonly context: Pick<RestoreContext, 'tenant'>;
    readonly restore: RestoreRecord;
    readonly control: RunControl;
    readonly deps: Pick<RestoreDeps, 'clock'>;
  },
  work: () => Promise<T>,
): Promise<T> =>
  runWithHeartbeat(
    { checkRunning: () => assertStillRunning(tenant, restore), total: 0, control, clock, unreported: () => 0 },
    work,
  );
