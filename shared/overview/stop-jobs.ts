/** Jobs that must have stopped before their organization is deleted: those that write, or hold what a person may need to undo. */
import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { systemAudit } from '../audit/index.ts';
import { backupKey, cancelBackup, runningBackupIds } from '../backup/index.ts';
import type { AuditAction } from '../contract/audit-actions.ts';
import { ApiError } from '../contract/errors.ts';
import type { UnfinishedJob } from '../contract/models/job.ts';
import type { CallerContext } from '../organization/index.ts';
import { type Change, commit, getAll, isConflict, type Tenant } from '../platform/index.ts';
import { cancelRestore, restoreData, restoreKey, runningRestoreIds } from '../restore/index.ts';
import { cancelRun, isRunEnded, restoreTestKey, runningTestIds } from '../restore-test/index.ts';

type Shown = z.output<typeof UnfinishedJob>;

const isActive = <J extends { readonly status: string }>(job: J | undefined): job is J =>
  job?.status === 'pending' || job?.status === 'running';

/** Verifications are not among them: they only read, and end by themselves. */
const readUnfinished = async (tenant: Tenant) => {
  const [backupIds, restoreIds, runIds] = await Promise.all([
    runningBackupIds(tenant),
    runningRestoreIds(tenant),
    runningTestIds(tenant),
  ]);
  const [backups, restores, runs] = await Promise.all([
    getAll(backupIds.map((id) => backupKey.backup(tenant, id))),
    getAll(restoreIds.map((id) => restoreKey.restore(tenant, id))),
    getAll(runIds.map((id) => restoreTestKey.run(tenant, id))),
  ]);
  return {
    backups: backups.filter(isActive),
    restores: restores.filter(isActive),
    runs: runs.flatMap((run) => (run && !isRunEnded(run) ? [run] : [])),
  };
};

const shown = ({ backups, restores, runs }: Awaited<ReturnType<typeof readUnfinished>>): readonly Shown[] => [
  ...restores.map((restore): Shown => {
    const {
      restoreJobId: id,
      status,
      cancelling,
      documentsRestored,
      documentsUnchanged,
      documentsDeleted,
    } = restoreData(restore);
    const documentsWritten = documentsRestored - documentsUnchanged + documentsDeleted;
    return { kind: 'restore', id, status, projectId: restore.targetProjectId, cancelling, documentsWritten };
  }),
  ...runs.map(({ id, status, projectId, cancelRequestedAt }): Shown => {
    return { kind: 'restore test', id, status, projectId, cancelling: cancelRequestedAt !== undefined, documentsWritten: 0 };
  }),
  ...backups.map(({ id, status, projectId }): Shown => {
    return { kind: 'backup', id, status, projectId, cancelling: false, documentsWritten: 0 };
  }),
];

const inProgress = (jobs: readonly Shown[], message: string): ApiError => new ApiError('JOB_IN_PROGRESS', message, { jobs });

/** A request has to answer within 20 s; writers stop within five. */
const waitMs = 14_000;
const pollMs = 500;

interface StopOptions {
  readonly cancelJobs: boolean;
  readonly now: () => Date;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Throws JOB_IN_PROGRESS, which names them, while jobs run. With `cancelJobs` cancels them first and waits until they have stopped;
 * throws if that takes longer than a request can wait: then the call is repeated. Returns what was cancelled, as it ended.
 */
export const stopJobs = async (
  caller: CallerContext,
  { cancelJobs, now, sleep = pause }: StopOptions,
): Promise<readonly Shown[]> => {
  const { tenant } = caller;
  const found = await readUnfinished(tenant);
  const jobs = shown(found);
  if (jobs.length === 0) return [];
  if (!cancelJobs)
    throw inProgress(
      jobs,
      'Jobs of the organization are in progress. Wait until they have ended, or cancel them with cancelJobs: true',
    );
  // A test cancels its own restore and removes what that wrote; the others end by themselves.
  for (const run of found.runs) await cancel('restore_test.cancelled', now(), async () => cancelRun(tenant, run, now()));
  const ofTests = new Set(found.runs.map(({ restoreJobId }) => restoreJobId));
  for (const { id } of found.restores)
    if (!ofTests.has(id)) await cancel('restore.cancelled', now(), () => cancelRestore(caller, id, now()));
  for (const backup of found.backups) await cancel('backup.cancelled', now(), () => cancelBackup(caller, backup, now()));
  for (let waited = 0; ; waited += pollMs) {
    const left = shown(await readUnfinished(tenant));
    if (left.length === 0) return endedJobs(tenant, jobs);
    if (waited >= waitMs) throw inProgress(left, 'The jobs were cancelled and have not stopped yet. Repeat the call');
    await sleep(pollMs);
  }
};

/** One that has ended or moved on meanwhile is read again by the caller. */
const cancel = async (action: AuditAction, now: Date, decide: () => Promise<{ readonly change: Change }>): Promise<void> => {
  try {
    const { writes, audit } = (await decide()).change;
    if (writes.length === 0) return;
    await commit([...writes, ...audit.map((note) => systemAudit('organization-deletion', { action, note, now }))]);
  } catch (error) {
    if (!isConflict(error) && !(error instanceof ApiError)) throw error;
  }
};

const endedJobs = async (tenant: Tenant, jobs: readonly Shown[]): Promise<readonly Shown[]> => {
  const restores = await getAll(jobs.map(({ kind, id }) => (kind === 'restore' ? restoreKey.restore(tenant, id) : undefined)));
  return jobs.map((job, n): Shown => {
    const restore = restores[n];
    if (!restore) return { ...job, status: 'cancelled', cancelling: false };
    const { status, documentsRestored, documentsUnchanged, documentsDeleted } = restoreData(restore);
    return { ...job, status, cancelling: false, documentsWritten: documentsRestored - documentsUnchanged + documentsDeleted };
  });
};
