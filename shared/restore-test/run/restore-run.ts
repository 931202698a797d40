/** Restores the tested backup into the target. */

import { type NamedDocuments, restoreData } from '../../restore/index.ts';
import { type BackupRecord, openArchive, readBackup } from '../../stored-backup/index.ts';
import { buildPoint } from './build-point.ts';
import { storeSample } from './compare-run.ts';
import { concludeWith, enterPhase, type RunContext, type RunProgress } from './run-writes.ts';
import { endedJob, jobFailure, startTestRestore, writtenBy } from './start-job.ts';

export const restoreRun = async (context: RunContext): Promise<RunProgress> => {
  const { run } = context;
  // Runs of earlier versions build the backup of a moment in this phase, and have not verified the archive before.
  if (run.backupId === null) return buildPoint(context);
  if (run.restoreJobId !== null) return followRestore(context, run.restoreJobId);
  if (run.verificationSince === undefined) return enterPhase(context, { phase: 'reading' });
  if (run.scope.type === 'sample' && run.sample === undefined) return sampleFirst(context);
  await startTestRestore(context, sampleOf(run.sample));
  return 'wait';
};

const sampleOf = (sample: string | undefined): NamedDocuments | undefined => {
  if (sample === undefined) return undefined;
  const paths = JSON.parse(sample) as string[];
  return { paths, given: paths.map((path) => [path, [path]] as const) };
};

const sampleFirst = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const backup: BackupRecord = await readBackup(tenant, run.backupId ?? '');
  const open = await openArchive(tenant, { backup, deps });
  try {
    return await storeSample(context, backup, open.archive);
  } finally {
    open.close();
  }
};

/**
 * The time to recovery is what a person would have waited: from the request until everything was in the target. A restore that had
 * nothing to write says nothing about it.
 */
const followRestore = async (context: RunContext, restoreJobId: string): Promise<RunProgress> => {
  const { tenant, run } = context;
  const job = await endedJob(tenant, restoreJobId);
  if (!job) return 'wait';
  const { documentsFailed } = restoreData(job);
  const documentsWritten = writtenBy(job);
  if (job.status !== 'completed') return concludeWith(context, jobFailure(job), { documentsWritten });
  const waitedMs = Math.max(0, Date.parse(job.completedAt ?? job.createdAt) - Date.parse(job.createdAt));
  const rtoSeconds = documentsWritten === 0 ? null : waitedMs / 1_000;
  const restored = { rtoSeconds, documentsWritten };
  const next = run.verificationSince === undefined ? 'reading' : 'comparing';
  if (documentsFailed === 0) return enterPhase(context, { phase: next, attributes: restored });
  const message = `The restore into the target did not write ${documentsFailed} documents`;
  return concludeWith(context, { code: 'COUNT_MISMATCH', message, details: { restoreJobId, documentsFailed } }, restored);
};
