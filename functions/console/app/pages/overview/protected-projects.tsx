import { Link } from '@tanstack/react-router';
import { uncountedPhases, waitWords } from '../../data/job-words.ts';
import type { ProjectOverview } from '../../data/overview.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { LabelList, ProjectList, type useFilteredOverview } from '../../parts/project-list.tsx';
import { Protection } from '../../parts/protection.tsx';
import { paths } from '../../paths.ts';
import { Progress } from '../../ui/data/progress.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

type Job = ProjectOverview['runningJobs'][number];

const LastBackup = ({ lastGoodBackup, runningJobs }: ProjectOverview) => {
  return (
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
};

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

const Verified = ({ lastVerification, lastRestoreTest }: ProjectOverview) => {
  // A restore test reads what it restores, which is more than a verification does.
  if (!lastVerification && lastRestoreTest) return <span className="muted">By the restore test</span>;
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
const Proven = ({ lastRestoreTest }: ProjectOverview) => {
  if (!lastRestoreTest) return <span className="muted nowrap">No test passed</span>;
  const { runId, at } = lastRestoreTest;
  return (
    <div className="protection">
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

const PointInTime = ({ id, pitr }: ProjectOverview) => {
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

const columns: readonly Column<ProjectOverview>[] = [
  {
    key: 'name',
    label: 'Project',
    isTitle: true,
    sort: 'name',
    cell: ({ id, name, sourceProjectId, databaseId, labels }) => (
      <>
        <Link to={paths.project(id)}>{name}</Link>
        <div className="small muted regular">
          {sourceProjectId}
          {databaseId !== '(default)' && ` / ${databaseId}`}
        </div>
        <LabelList labels={labels} />
      </>
    ),
  },
  { key: 'protection', label: 'Protection', sort: 'protection', cell: (project) => <Protection {...project} /> },
  { key: 'last', label: 'Last good backup', sort: 'lastBackup', cell: (project) => <LastBackup {...project} /> },
  { key: 'verified', label: 'Verified', cell: (project) => <Verified {...project} /> },
  { key: 'proven', label: 'Proven', sort: 'lastRestoreTest', cell: (project) => <Proven {...project} /> },
  { key: 'pitr', label: 'Point in time', cell: (project) => <PointInTime {...project} /> },
  { key: 'next', label: 'Next run', cell: ({ nextRun }) => <Time at={nextRun?.at} relative none="Not scheduled" /> },
];

export const ProtectedProjects = ({ overview }: { readonly overview: ReturnType<typeof useFilteredOverview> }) => (
  <ProjectList overview={overview} title="Projects" label="Projects and their protection" columns={columns} />
);
