/** Starts the restore jobs of a run: the restore into the target, or the build of the backup of a moment. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { readDestination } from '../../destination/index.ts';
import { commit, type Tenant, type Write } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import {
  assertRestoreCapacity,
  buildPointBackup,
  getRestore,
  type NamedDocuments,
  type RestoreRecord,
  restoreData,
  type StartRestoreOptions,
  startRestore,
} from '../../restore/index.ts';
import { currentEncryption, readBackup, readEncryption } from '../../stored-backup/index.ts';
import type { RunRecord } from '../model/record.ts';
import { type RunContext, setRun } from './run-writes.ts';

const createdByRun = ({ id }: RunRecord) => ({ type: 'system', id, email: null }) as const;

const options = (run: RunRecord, more: Partial<StartRestoreOptions>): StartRestoreOptions => ({
  mergeMode: 'overwrite',
  dryRun: false,
  collections: ['*'],
  includeSubcollections: true,
  // Users of the customer's customers are not copied into another project for a test.
  includeAuthUsers: false,
  safetyBackup: true,
  createdBy: createdByRun(run),
  ...more,
});

const auditOf = (
  tenant: Tenant,
  { run: { id, restoreTestId }, restore, now }: { readonly run: RunRecord; readonly restore: RestoreRecord; readonly now: Date },
): Write =>
  systemAudit('restore-test', {
    action: 'restore.created',
    note: auditNote(tenant, {
      type: 'restore',
      id: restore.id,
      details: {
        backupId: restore.backupId,
        targetProjectId: restore.targetProjectId,
        dryRun: restore.dryRun,
        restoreTestId,
        runId: id,
      },
    }),
    now,
  });

/** Throws JOB_IN_PROGRESS while the target has a job. */
export const startTestRestore = async (context: RunContext, documents: NamedDocuments | undefined): Promise<void> => {
  const { tenant, run, deps } = context;
  const now = deps.clock.now();
  await assertRestoreCapacity(tenant);
  const backup = await readBackup(tenant, run.backupId ?? '');
  const target = await readProject(tenant, run.target?.projectId ?? '');
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const encryption = currentEncryption(await readEncryption(tenant));
  const { restore, writes } = startRestore(
    { tenant, backup, project: { name: run.projectName }, target, destination, encryption },
    // Documents that the target has already prove nothing unless they are written.
    options(run, { writesEqual: true, ...(documents && { documents, includeSubcollections: false }) }),
    now,
  );
  await commit([...writes, setRun(context, { restoreJobId: restore.id }), auditOf(tenant, { run, restore, now })]);
};

/** Builds the backup of the moment with a job that writes to no database. */
export const startPointBuild = async (context: RunContext): Promise<void> => {
  const { tenant, run, deps } = context;
  const now = deps.clock.now();
  const { projectId, pointInTime } = run;
  const createdBy = createdByRun(run);
  const request = { projectId, pointInTime: pointInTime ?? '', collections: ['*'], createdBy, now, deps };
  const { restore, writes } = await buildPointBackup(tenant, request);
  await commit([...writes, setRun(context, { buildJobId: restore.id }), auditOf(tenant, { run, restore, now })]);
};

/** Undefined while the job runs. */
export const endedJob = async (tenant: Tenant, restoreJobId: string): Promise<RestoreRecord | undefined> => {
  const restore = await getRestore(tenant, restoreJobId);
  return restore.status === 'pending' || restore.status === 'running' ? undefined : restore;
};

/** Documents that the target has acknowledged. */
export const writtenBy = (restore: RestoreRecord): number => {
  const { documentsRestored, documentsUnchanged } = restoreData(restore);
  return documentsRestored - documentsUnchanged;
};

export const jobFailure = ({ id, status, error }: RestoreRecord) => ({
  code: error?.code ?? ('INTERNAL_ERROR' as const),
  message: error?.message ?? `The restore job is ${status}`,
  details: { restoreJobId: id },
});
