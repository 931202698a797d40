/** What is known of a project's protection, in cells of tables and in facts. */
import { Link } from '@tanstack/react-router';
import { uncountedPhases, waitWords } from '../../data/job-words.ts';
import type { ProjectOverview } from '../../data/overview.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { Progress } from '../../ui/data/progress.tsx';
import { Time } from '../../ui/data/time.tsx';

type Job = ProjectOverview['runningJobs'][number];

/** When the last good backup was stored, and what runs now. */
export const LastBackup = ({ lastGoodBackup, runningJobs }: ProjectOverview) => (
  <div className="protection">
    {lastGoodBackup ? (
      <Link to={paths.backup(lastGoodBackup.id)}>
        <Time at={lastGoodBackup.completedAt} relative />
      </Link>
    ) : (
      <span className="muted">None</span>
    )}
    {runningJobs.map((job) => (
      <RunningJob key={job.id} job={job} />
    ))}
  </div>
);

/** A backup, or a restore into the project. */
const RunningJob = ({ job: { kind, id, phase, percent, startedAt, waitingFor } }: { readonly job: Job }) => (
  <Link to={kind === 'backup' ? paths.backup(id) : paths.restore(id)} className="protection__running">
    <Progress
      label={
        waitingFor ? waitWords[waitingFor.reason].title : `${kind === 'backup' ? 'Backup' : 'Restore'}, ${phase.toLowerCase()}`
      }
      percent={startedAt === null || uncountedPhases.includes(phase) ? undefined : percent}
      since={startedAt}
      tone={waitingFor ? 'warn' : 'accent'}
    />
  </Link>
);

/** When the last verification ended. */
export const Verified = ({ lastVerification, lastRestoreTest }: ProjectOverview) => {
  // A restore test reads what it restores, which is more than a verification does.
  if (!lastVerification && lastRestoreTest) return <span className="muted nowrap">By restore test</span>;
  if (!lastVerification) return <span className="muted nowrap">Never</span>;
  const { status, backupId, at } = lastVerification;
  return (
    <Link to={paths.backup(backupId)} className={status === 'failed' ? 'bad' : undefined}>
      {status === 'failed' && 'Failed '}
      <Time at={at} relative />
    </Link>
  );
};

/** A restore test is the only proof: the others say that the bytes are there, not that they restore. */
export const Proven = ({ lastRestoreTest }: ProjectOverview) => {
  if (!lastRestoreTest) return <span className="muted nowrap">Not proven</span>;
  const { runId, at } = lastRestoreTest;
  return (
    <div className="protection protection__proof">
      <Link to={runId === null ? paths.restoreTests : paths.restoreTestRun(runId)}>
        {lastRestoreTest.documentsWritten ? 'Restored' : 'Tested'} <Time at={at} relative />
      </Link>
      <span className="small muted">{writtenWords(lastRestoreTest)}</span>
    </div>
  );
};

const writtenWords = ({ documents, documentsWritten }: NonNullable<ProjectOverview['lastRestoreTest']>): string => {
  if (documentsWritten !== null && documents !== null)
    return `${formatCount(documentsWritten)} of ${formatPlural(documents, 'document')} written`;
  return documents === null ? '' : `${formatPlural(documents, 'document')} read, none written`;
};

/** Since when every moment can be restored. */
export const PointInTime = ({ id, pitr }: ProjectOverview) => {
  if (pitr.status === 'disabled') return <span className="muted">Off</span>;
  return (
    <Link to={paths.project(id, 'point-in-time')}>
      {pitr.earliestRestorableAt ? (
        <>
          Since <Time at={pitr.earliestRestorableAt} relative />
        </>
      ) : (
        'Starting'
      )}
    </Link>
  );
};

/** When the next schedule is due. */
export const NextRun = ({ nextRun }: ProjectOverview) =>
  nextRun ? (
    <Link to={paths.schedule(nextRun.scheduleId)}>
      <Time at={nextRun.at} relative />
    </Link>
  ) : (
    <span className="muted nowrap">Not scheduled</span>
  );
