/** Jobs that must have stopped before their organization is deleted: those that write, or hold what a person may need to undo. */
import { setTimeout as pause } from 'node:timers/promises';
import type * as z from 'zod/mini';
import { auditEntry, type Origin } from '../audit/index.ts';
import { cancelBackup, runningBackupIds } from '../backup/index.ts';
import type { AuditAction } from '../contract/audit-actions.ts';
import { ApiError } from '../contract/errors.ts';
import { endpointTimeoutSeconds } from '../contract/limits.ts';
import type { UnfinishedJob } from '../contract/models/job.ts';
import { cancelExport, type ExportRecord, exportKey, exportMarks, isActiveExport } from '../export/index.ts';
import { type CallerContext, noSuchOrganization, type OrganizationRecord, organizationKey } from '../organization/index.ts';
import { after, type Change, clock, commit, get, getAll, isConflict, iso, type Tenant } from '../platform/index.ts';
import { cancelRestore, hasActiveWriter, type RestoreRecord, restoreData, restoreKey, restoreMarks } from '../restore/index.ts';
import { cancelRun, isRunEnded, type RunRecord, restoreTestKey, runningTestIds } from '../restore-test/index.ts';
import { backupKey } from '../stored-backup/index.ts';

type Shown = z.output<typeof UnfinishedJob>;

interface StopOptions {
  readonly cancelJobs: boolean;
  readonly origin: Origin;
  /** When the call began: all attempts of one call share its time. */
  readonly since: Date;
  readonly now?: () => Date;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

interface Stopped {
  /** Read before the jobs: its deletion fails if another one was started since. */
  readonly organization: OrganizationRecord;
  readonly cancelled: readonly Shown[];
}

/** The rest of the call is for the last look, the deletion and its retries. Writers stop within five seconds. */
const waitSeconds = endpointTimeoutSeconds - 6;
const pollMs = 500;

/**
 * Throws JOB_IN_PROGRESS, which names them, while jobs run. With `cancelJobs` cancels them first and waits until they have stopped;
 * throws if either takes longer than a request can wait: a repeated call continues. Returns what was cancelled, as it ended.
 */
export const stopJobs = async (caller: CallerContext, options: StopOptions): Promise<Stopped> => {
  const { cancelJobs, since, now = () => clock.now(), sleep = pause } = options;
  const { tenant } = caller;
  const isTimeUp = (): boolean => now() >= after(since, waitSeconds);
  const found = new Map<string, Shown>();
  for (;;) {
    const organization = await get(organizationKey.organization(tenant));
    if (!organization || organization.deletedAt !== undefined) throw noSuchOrganization();
    const unfinished = await readUnfinished(tenant, now());
    const jobs = shownJobs(unfinished);
    if (jobs.length === 0) return { organization, cancelled: cancelJobs ? await endedJobs(tenant, found, since) : [] };
    if (!cancelJobs) throw inProgress(jobs);
    for (const job of jobs) found.set(job.id, job);
    if (isTimeUp()) throw inProgress(jobs, '. They are being cancelled, and not all have stopped yet. Repeat the call');
    await cancelAll(caller, { unfinished, options, isTimeUp });
    await sleep(pollMs);
  }
};

const namesMax = 5;

const inProgress = (jobs: readonly Shown[], more = ''): ApiError => {
  const names = jobs.slice(0, namesMax).map(({ kind, id }) => `${kind} ${id}`);
  const others = jobs.length > namesMax ? ` and ${jobs.length - namesMax} more` : '';
  return new ApiError('JOB_IN_PROGRESS', `Jobs of the organization are in progress: ${names.join(', ')}${others}${more}`, {
    jobs,
  });
};

const isActive = <J extends { readonly status: string }>(job: J | undefined): job is J =>
  job?.status === 'pending' || job?.status === 'running';

/**
 * Jobs that have not ended, and failed restores whose writers may still be active. Verifications are not among them: they only
 * read, and end by themselves.
 */
const readUnfinished = async (tenant: Tenant, now: Date) => {
  const [backupIds, marks, runIds, exported] = await Promise.all([
    runningBackupIds(tenant),
    restoreMarks(tenant),
    runningTestIds(tenant),
    exportMarks(tenant),
  ]);
  const [backups, restores, allRuns, exports] = await Promise.all([
    getAll(backupIds.map((id) => backupKey.backup(tenant, id))),
    // With a `dueAt`, its writers have stopped.
    getAll(marks.map(({ restoreJobId, dueAt }) => (dueAt ? undefined : restoreKey.restore(tenant, restoreJobId)))),
    getAll(runIds.map((id) => restoreTestKey.run(tenant, id))),
    getAll(exported.map(({ exportId }) => exportKey.export(tenant, exportId))),
  ]);
  const runs = allRuns.filter((run) => run !== undefined && !isRunEnded(run)) as readonly RunRecord[];
  const running = exports.filter((one) => one !== undefined && isActiveExport(one)) as readonly ExportRecord[];
  // A test cancels its own restores, and undoes them with another one.
  const tests = new Set(runs.map(({ id }) => id));
  const own = restores.filter((restore) => restore !== undefined && !tests.has(restore.createdBy.id)) as readonly RestoreRecord[];
  const writing = await Promise.all(own.map(({ id, status }) => isActive({ status }) || hasActiveWriter(tenant, id, now)));
  return { backups: backups.filter(isActive), restores: own.filter((_, n) => writing[n]), runs, exports: running };
};

type Unfinished = Awaited<ReturnType<typeof readUnfinished>>;

const shownJobs = ({ backups, restores, runs, exports }: Unfinished): readonly Shown[] => [
  ...restores.map(shownRestore),
  ...runs.map(shownRun),
  ...exports.map(shownExport),
  ...backups.map(({ id, status, projectId }): Shown => {
    return { kind: 'backup', id, status, projectId, cancelling: false, documentsWritten: 0 };
  }),
];

const shownRestore = (restore: RestoreRecord): Shown => {
  const { id, status, targetProjectId: projectId, cancelling = false } = restore;
  const { documentsRestored, documentsUnchanged, documentsDeleted } = restoreData(restore);
  const documentsWritten = documentsRestored - documentsUnchanged + documentsDeleted;
  return { kind: 'restore', id, status, projectId, cancelling, documentsWritten };
};

const shownExport = ({ id, status, projectId, cancelling = false }: ExportRecord): Shown => ({
  kind: 'export',
  id,
  status,
  projectId,
  cancelling,
  documentsWritten: 0,
});

/** What a test wrote counts until it is removed. */
const shownRun = ({ id, status, projectId, cancelRequestedAt, removal, documentsWritten: written }: RunRecord): Shown => {
  const documentsWritten = removal?.status === 'verified' ? 0 : (written ?? 0);
  const cancelling = status !== 'cancelled' && cancelRequestedAt !== undefined;
  return { kind: 'restore test', id, status, projectId, cancelling, documentsWritten };
};

/** What it does not reach in time is cancelled by the next call. Those that write come first. */
const cancelAll = async (
  caller: CallerContext,
  {
    unfinished: { backups, restores, runs, exports },
    options,
    isTimeUp,
  }: { readonly unfinished: Unfinished; readonly options: StopOptions; readonly isTimeUp: () => boolean },
): Promise<void> => {
  const { tenant, actor } = caller;
  const { origin, now = () => clock.now() } = options;
  /** One that has ended or moved on meanwhile is read again by the next look. */
  const cancel = async (action: AuditAction, decide: (at: Date) => Promise<{ readonly change: Change }>): Promise<void> => {
    if (isTimeUp()) return;
    const at = now();
    try {
      const { writes, audit } = (await decide(at)).change;
      if (writes.length > 0)
        await commit([...writes, ...audit.map((note) => auditEntry(action, { note, actor, origin, now: at }))]);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  };
  for (const restore of restores)
    if (isActive(restore) && !restore.cancelling)
      await cancel('restore.cancelled', (at) => cancelRestore(caller, restore.id, at));
  for (const run of runs)
    if (run.cancelRequestedAt === undefined) await cancel('restore_test.cancelled', async (at) => cancelRun(tenant, run, at));
  for (const { id, cancelling } of exports) if (!cancelling) await cancel('export.cancelled', () => cancelExport(caller, id));
  for (const backup of backups) await cancel('backup.cancelled', (at) => cancelBackup(caller, backup, at));
};

/** Restores that were cancelled so recently count, too: the call before this one may have cancelled them, and stopped waiting. */
const recentSeconds = 900;

const endedJobs = async (tenant: Tenant, found: ReadonlyMap<string, Shown>, since: Date): Promise<readonly Shown[]> => {
  const jobs = [...found.values()];
  const marks = await restoreMarks(tenant);
  const [backups, runs, restores, exports, recent] = await Promise.all([
    getAll(jobs.map(({ kind, id }) => (kind === 'backup' ? backupKey.backup(tenant, id) : undefined))),
    getAll(jobs.map(({ kind, id }) => (kind === 'restore test' ? restoreTestKey.run(tenant, id) : undefined))),
    getAll(jobs.map(({ kind, id }) => (kind === 'restore' ? restoreKey.restore(tenant, id) : undefined))),
    getAll(jobs.map(({ kind, id }) => (kind === 'export' ? exportKey.export(tenant, id) : undefined))),
    getAll(marks.map(({ restoreJobId }) => (found.has(restoreJobId) ? undefined : restoreKey.restore(tenant, restoreJobId)))),
  ]);
  const isRecent = ({ status, completedAt, createdBy }: RestoreRecord): boolean =>
    status === 'cancelled' && (completedAt ?? '') > iso(after(since, -recentSeconds)) && createdBy.type !== 'system';
  return [
    ...jobs.map((job, n): Shown => {
      const [restore, run, exported] = [restores[n], runs[n], exports[n]];
      if (restore) return shownRestore(restore);
      if (exported) return shownExport(exported);
      return run ? shownRun(run) : { ...job, status: backups[n]?.status ?? 'cancelled' };
    }),
    ...recent
      .filter((restore) => restore !== undefined)
      .filter(isRecent)
      .map(shownRestore),
  ];
};
