import { Link } from '@tanstack/react-router';
import { waitWords } from '../../data/job-words.ts';
import type { ProjectOverview } from '../../data/overview.ts';
import { Protection } from '../../parts/protection.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

const LastBackup = ({ lastGoodBackup, runningJobs }: ProjectOverview) => {
  const running = runningJobs.find(({ kind }) => kind === 'backup');
  return (
    <div className="protection">
      {lastGoodBackup ? (
        <Link to={paths.backup(lastGoodBackup.id)}>
          <Time at={lastGoodBackup.completedAt} relative />
        </Link>
      ) : (
        <span className="muted">None</span>
      )}
      {running && (
        <Link to={paths.backup(running.id)} className="protection__running">
          <Progress
            label={running.waitingFor ? waitWords[running.waitingFor.reason].title : `Backup, ${running.phase}`}
            percent={running.percent}
            since={running.createdAt}
            tone={running.waitingFor ? 'warn' : 'accent'}
          />
        </Link>
      )}
    </div>
  );
};

const Proof = ({ lastVerification, lastRestoreTest }: ProjectOverview) => {
  if (!lastVerification && !lastRestoreTest) return <span className="muted nowrap">Not yet</span>;
  return (
    <div className="protection">
      {lastVerification && (
        <span className={lastVerification.status === 'failed' ? 'bad' : undefined}>
          {lastVerification.status === 'failed' && 'Failed '}
          <Time at={lastVerification.at} relative />
        </span>
      )}
      {lastRestoreTest && (
        <span>
          <Link to={paths.restoreTests}>Restore tested</Link> <Time at={lastRestoreTest.at} relative />
        </span>
      )}
    </div>
  );
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
    cell: ({ id, name, sourceProjectId, databaseId }) => (
      <>
        <Link to={paths.project(id)}>{name}</Link>
        <div className="small muted regular">
          {sourceProjectId}
          {databaseId !== '(default)' && ` / ${databaseId}`}
        </div>
      </>
    ),
  },
  { key: 'protection', label: 'Protection', cell: (project) => <Protection {...project} /> },
  { key: 'last', label: 'Last good backup', cell: (project) => <LastBackup {...project} /> },
  { key: 'proof', label: 'Verified', cell: (project) => <Proof {...project} /> },
  { key: 'pitr', label: 'Point in time', cell: (project) => <PointInTime {...project} /> },
  { key: 'next', label: 'Next run', cell: ({ nextRun }) => <Time at={nextRun?.at} relative none="Not scheduled" /> },
];

export const ProtectedProjects = ({ projects }: { readonly projects: readonly ProjectOverview[] }) => (
  <Card title="Projects" flush>
    <Table label="Projects and their protection" columns={columns} rows={projects} rowKey={({ id }) => id} />
  </Card>
);
