/** Reads plans and runs. An id of another organization, a malformed one and an unknown one get the same answer. */
import { spanOf } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { RestoreTestStatus } from '../../contract/models/restore-test.ts';
import { get, getAll, idBounds, omitUndefined, type Tenant, takePage, walk } from '../../platform/index.ts';
import {
  type RestoreTestRecord,
  type RunningTest,
  type RunRecord,
  restoreTestKey,
  restoreTestPrefix,
  runPrefix,
} from './record.ts';

export const noSuchRestoreTest = (): ApiError => new ApiError('RESTORE_TEST_NOT_FOUND', 'There is no such restore test');
const noSuchRun = (): ApiError => new ApiError('RESTORE_TEST_NOT_FOUND', 'There is no such run of a restore test');

export const readRestoreTest = async (tenant: Tenant, restoreTestId: string): Promise<RestoreTestRecord> => {
  const plan = isId('restoreTest', restoreTestId) ? await get(restoreTestKey.plan(tenant, restoreTestId)) : undefined;
  if (!plan) throw noSuchRestoreTest();
  return plan;
};

export const readRun = async (tenant: Tenant, runId: string): Promise<RunRecord> => {
  const run = isId('restoreTestRun', runId) ? await get(restoreTestKey.run(tenant, runId)) : undefined;
  if (!run) throw noSuchRun();
  return run;
};

interface Page {
  readonly limit: number;
  readonly after: string | undefined;
}

interface Order {
  readonly newestFirst?: boolean;
  readonly after?: string | undefined;
}

export const restoreTestsOf = (
  tenant: Tenant,
  where: { readonly projectId?: string | undefined } = {},
  order: Order = {},
): AsyncIterable<RestoreTestRecord> =>
  walk<RestoreTestRecord>({
    pk: restoreTestKey.plan(tenant, '').pk,
    prefix: restoreTestPrefix,
    where: omitUndefined(where),
    ...order,
  });

export const listRestoreTests = async (
  tenant: Tenant,
  where: { readonly projectId?: string | undefined },
  { limit, after }: Page,
): Promise<{ items: readonly RestoreTestRecord[]; next: string | undefined }> =>
  takePage(restoreTestsOf(tenant, where, { newestFirst: true, after }), limit);

export interface RunFilter {
  readonly restoreTestId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly status?: RestoreTestStatus | undefined;
  /** When the run was created. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Ids sort by time, so a period is a range of keys. */
const runsOf = (tenant: Tenant, { from, to, ...where }: RunFilter, order: Order = {}): AsyncIterable<RunRecord> => {
  const { start, end } = spanOf({ from, to });
  const { first, last } = idBounds('restoreTestRun', start, end);
  return walk<RunRecord>({
    pk: restoreTestKey.run(tenant, '').pk,
    prefix: runPrefix,
    from: `${runPrefix}${first}`,
    to: `${runPrefix}${last}`,
    where: omitUndefined(where),
    ...order,
  });
};

/** The runs of a plan that have not ended. Reads only the marks of unfinished runs, however many have ended. */
export const unfinishedRuns = async (tenant: Tenant, restoreTestId: string): Promise<readonly RunRecord[]> => {
  const runs = await getAll((await runningTestIds(tenant)).map((runId) => restoreTestKey.run(tenant, runId)));
  return runs.filter((run) => run?.restoreTestId === restoreTestId && !isEnded(run)) as RunRecord[];
};

export const isEnded = ({ status }: Pick<RunRecord, 'status'>): boolean => status !== 'pending' && status !== 'running';

export const listRuns = async (
  tenant: Tenant,
  filter: RunFilter,
  { limit, after }: Page,
): Promise<{ items: readonly RunRecord[]; next: string | undefined }> =>
  takePage(runsOf(tenant, filter, { newestFirst: true, after }), limit);

/** Runs that are pending or running, or have ended and are not cleaned up yet. */
export const runningTestIds = async (tenant: Tenant): Promise<readonly string[]> => {
  const { pk, sk: prefix } = restoreTestKey.running(tenant, '');
  return (await Array.fromAsync(walk<RunningTest>({ pk, prefix }))).map(({ runId }) => runId);
};
