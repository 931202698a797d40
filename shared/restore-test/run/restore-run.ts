/** Restores the tested backup into the target; first builds the backup of a moment. */
import { type BackupRecord, openArchive, readBackup } from '../../backup/index.ts';
import { commit } from '../../platform/index.ts';
import { holdBackup, type NamedDocuments, type RestoreRecord, restoreData } from '../../restore/index.ts';
import { storeSample } from './compare-run.ts';
import { concludeWith, enterPhase, type Progress, type RunContext, setRun } from './run-writes.ts';
import { endedJob, startPointBuild, startTestRestore } from './start-job.ts';

export const restoreRun = async (context: RunContext): Promise<Progress> => {
  const { run } = context;
  if (run.backupId === null) return buildPoint(context);
  if (!run.target) return enterPhase(context, 'reading');
  if (run.restoreJobId !== null) return followRestore(context, run.restoreJobId);
  if (run.scope.type === 'sample' && run.sample === undefined) return sampleFirst(context);
  await startTestRestore(context, sampleOf(run.sample));
  return 'wait';
};

const sampleOf = (sample: string | undefined): NamedDocuments | undefined => {
  if (sample === undefined) return undefined;
  const paths = JSON.parse(sample) as string[];
  return { paths, given: paths.map((path) => [path, [path]] as const) };
};

const sampleFirst = async (context: RunContext): Promise<Progress> => {
  const { tenant, run, deps } = context;
  const backup: BackupRecord = await readBackup(tenant, run.backupId ?? '');
  const open = await openArchive(tenant, backup, undefined, deps);
  try {
    return await storeSample(context, backup, open.archive);
  } finally {
    open.close();
  }
};

/** The job holds the backup that it built until it ends; from then on the run does. */
const buildPoint = async (context: RunContext): Promise<Progress> => {
  const { tenant, run } = context;
  if (run.buildJobId === undefined) {
    await startPointBuild(context);
    return 'wait';
  }
  const job = await endedJob(tenant, run.buildJobId);
  if (!job) return 'wait';
  if (job.status !== 'completed') return concludeWith(context, failureOf(job));
  const backup = await readBackup(tenant, job.backupId);
  await commit([
    setRun(context, { backupId: backup.id, readTime: backup.readTime, isHeld: true }),
    holdBackup(tenant, backup.id),
  ]);
  return 'again';
};

/** The time to recovery is what a person would have waited: from the request until everything was in the target. */
const followRestore = async (context: RunContext, restoreJobId: string): Promise<Progress> => {
  const job = await endedJob(context.tenant, restoreJobId);
  if (!job) return 'wait';
  if (job.status !== 'completed') return concludeWith(context, failureOf(job));
  const { documentsFailed } = restoreData(job);
  const rtoSeconds = Math.max(0, Date.parse(job.completedAt ?? job.createdAt) - Date.parse(job.createdAt)) / 1_000;
  if (documentsFailed === 0) return enterPhase(context, 'comparing', { rtoSeconds });
  const message = `The restore into the target did not write ${documentsFailed} documents`;
  return concludeWith(context, { code: 'COUNT_MISMATCH', message, details: { restoreJobId, documentsFailed } }, { rtoSeconds });
};

const failureOf = ({ id, status, error }: RestoreRecord) => ({
  code: error?.code ?? ('INTERNAL_ERROR' as const),
  message: error?.message ?? `The restore job is ${status}`,
  details: { restoreJobId: id },
});
