import { backupPhases } from '../../../data/backup-words.ts';
import { type Backup, useBackup, useBackupTimeline } from '../../../data/backups.ts';
import { jobEntries } from '../../../data/job-words.ts';
import { TimelineCard } from '../../../parts/timeline-card.tsx';
import { ErrorNotice } from '../../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../../ui/data/skeleton.tsx';
import { useParam } from '../../../use-param.ts';
import { AnomalyCard } from './anomaly-card.tsx';
import { CollectionsCard } from './collections-card.tsx';
import { FactsCard } from './facts-card.tsx';
import { TechnicalDetails } from './failed-backup.tsx';
import { LineageCard } from './lineage-card.tsx';
import { OpenCard } from './open-card.tsx';
import { OutcomeNotice } from './outcome-notice.tsx';
import { ProgressCard } from './progress-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import { VerificationCard } from './verification-card.tsx';

export const DetailsTab = () => {
  const { data: backup, dataUpdatedAt, error, refetch } = useBackup(useParam('backupId'));
  if (error && !backup) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!backup) return <SkeletonText lines={5} />;
  const { status } = backup;
  const isRunning = status === 'pending' || status === 'running';
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} title="The latest state could not be loaded" onRetry={() => void refetch()} />}
      <OutcomeNotice backup={backup} />
      {backup.anomaly && <AnomalyCard backup={backup} anomaly={backup.anomaly} />}
      {isRunning && <ProgressCard backup={backup} seenAt={dataUpdatedAt} />}
      <div className="backup__columns">
        <div className="stack">
          <FactsCard backup={backup} />
          {status === 'completed' && <CollectionsCard backup={backup} />}
          {status === 'completed' && <OpenCard backupId={backup.id} />}
          {status !== 'completed' && <BackupTimeline backup={backup} />}
          {status === 'failed' && <TechnicalDetails backup={backup} />}
        </div>
        <div className="stack">
          {status === 'completed' && <VerificationCard backup={backup} />}
          {backup.type === 'incremental' && <LineageCard backup={backup} />}
          <RetentionCard backup={backup} />
          {status === 'completed' && <BackupTimeline backup={backup} />}
        </div>
      </div>
    </div>
  );
};

const BackupTimeline = ({ backup }: { readonly backup: Backup }) => {
  const { data } = useBackupTimeline(backup);
  return <TimelineCard entries={jobEntries(data?.entries, (name) => backupPhases.find(([key]) => key === name)?.[1] ?? name)} />;
};
