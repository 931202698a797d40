import { Link } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import { backupErrorAdvices, backupPhases } from '../../data/backup-words.ts';
import { type Backup, isBackupRunning, useBackup, useStartBackup } from '../../data/backups.ts';
import { backupPercent } from '../../data/job-words.ts';
import type { Project } from '../../data/projects.ts';
import type { StorageDestination } from '../../data/storage.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { sentence } from '../../format/sentence.ts';
import { WaitNotice } from '../../parts/wait-notice.tsx';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { Button, buttonClass } from '../../ui/form/button.tsx';

interface Props {
  readonly project: Project;
  readonly destination: StorageDestination;
  /** The completed backup, else the latest one; undefined if there is none. */
  readonly backup: Backup | undefined;
}

export const FirstBackup = ({ project, destination, backup }: Props) => {
  const start = useStartBackup();
  const { reason } = usePermission('member');
  const isShown = backup && (backup.status === 'completed' || isBackupRunning(backup.status));
  if (isShown) return <LiveBackup backupId={backup.id} />;
  return (
    <div className="stack">
      {backup?.status === 'cancelled' && <Notice tone="warn" title="The last backup was cancelled" />}
      {backup?.status === 'failed' && (
        <Notice tone="bad" title="The last backup failed">
          {backup.error && `${sentence(backup.error.message)} ${backupErrorAdvices[backup.error.code] ?? ''}`}{' '}
          <Link to={paths.backup(backup.id)}>Open the backup</Link>
        </Notice>
      )}
      <p className="secondary">
        Everything in <strong>{project.name}</strong> is stored in <strong>{destination.name}</strong>.
      </p>
      {start.error && <ErrorNotice error={start.error} title="The backup did not start" />}
      <div className="form__actions">
        <Button
          variant="primary"
          icon="archive"
          busy={start.isPending}
          disabledReason={reason}
          onClick={() => start.mutate({ projectId: project.id, storageDestinationId: destination.id })}
        >
          {backup ? 'Try again' : 'Back up now'}
        </Button>
      </div>
    </div>
  );
};

const LiveBackup = ({ backupId }: { readonly backupId: string }) => {
  const { data: backup, error, refetch } = useBackup(backupId);
  if (error && !backup) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!backup) return <Progress label="Backup" percent={undefined} since={null} />;
  const { projectId, status, phase, progress, startedAt, waitingFor, documentCount, sizeFormatted, duration } = backup;
  if (status !== 'completed')
    return (
      <div className="stack" aria-live="polite">
        <Progress label="Backup" percent={backupPercent(backup)} since={startedAt} />
        {waitingFor && <WaitNotice wait={waitingFor} />}
        <p className="secondary number">
          {backupPhases.find(([name]) => name === phase)?.[1]}:{' '}
          {progress.totalDocuments === null
            ? formatPlural(progress.documents, 'document')
            : `${formatCount(progress.documents)} of ${formatPlural(progress.totalDocuments, 'document')}`}
        </p>
      </div>
    );
  return (
    <Notice
      tone="good"
      title="Your project is backed up"
      actions={
        <>
          <Link to={paths.backup(backupId, 'browse')} className={buttonClass('primary', 'small')}>
            Look inside the backup
          </Link>
          <Link to={`${paths.newSchedule}?projectId=${projectId}`} className={buttonClass('secondary', 'small')}>
            Let it run every day
          </Link>
          <Link to={paths.overview} className={buttonClass('secondary', 'small')}>
            Go to the overview
          </Link>
        </>
      }
    >
      {formatPlural(documentCount ?? 0, 'document')}, {sizeFormatted}
      {duration !== null && `, in ${formatDuration(duration)}`}.
    </Notice>
  );
};
