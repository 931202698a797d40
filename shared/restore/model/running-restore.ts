/** A running restore, and the condition under which steps write to it. */
import { idsIn } from '../../contract/ids.ts';
import {
  type Advance,
  assertOrganizationActive,
  assertRunning,
  checkRunningJob,
  JobEndedError,
  updateRunningJob,
} from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { addLogContext, get, getAll, type Tenant, type Write } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

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

export interface RunningRestoreContext {
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

export type RunningAttempt = Pick<RestoreRecord, 'id' | 'attempt'>;

export const assertStillRunning = async (tenant: Tenant, { id, attempt }: RunningAttempt): Promise<RestoreRecord> =>
  assertSameAttempt(await get(restoreKey.restore(tenant, id)), attempt);

/** Throws JobEndedError if the attempt has ended. */
export const readShard = async (tenant: Tenant, { id, attempt }: RunningAttempt, number: number) => {
  const [record, shard] = await getAll([restoreKey.restore(tenant, id), restoreKey.shard(tenant, id, number)]);
  const restore = assertSameAttempt(record, attempt);
  if (!shard) throw new Error(`there is no shard ${number}`);
  return { restore, shard };
};

export const updateRunning = (tenant: Tenant, restoreJobId: string, change: Advance): Write =>
  updateRunningJob(restoreKey.restore(tenant, restoreJobId), change);

export const checkRunning = (tenant: Tenant, restoreJobId: string, expected: Advance['expected'] = {}): Write =>
  checkRunningJob(restoreKey.restore(tenant, restoreJobId), expected);
