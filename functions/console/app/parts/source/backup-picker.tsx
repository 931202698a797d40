import { isFoundDamaged, isRestorePoint } from '../../../../../shared/client/index.ts';
import { type Backup, isUnusual, useBackups } from '../../data/backups.ts';
import { formatPlural } from '../../format/format-number.ts';
import { formatMoment, formatRelative, formatUtc } from '../../format/format-time.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';

interface BackupPickerProps {
  readonly projectId: string | undefined;
  readonly value: string | undefined;
  readonly onChange: (backupId: string) => void;
}

export const BackupPicker = ({ projectId, value, onChange }: BackupPickerProps) => {
  const { items, query } = useBackups({ status: 'completed', limit: 20, ...(projectId !== undefined && { projectId }) });
  if (query.error)
    return <ErrorNotice error={query.error} title="The backups could not be loaded" onRetry={() => void query.refetch()} />;
  if (!items) return <SkeletonText />;
  // A safety backup serves to undo its restore; it is listed only if a link has chosen it.
  const shown = items.filter(({ id, trigger }) => trigger !== 'safety' || id === value);
  if (shown.length === 0 && !query.hasNextPage)
    return (
      <EmptyState title="There is no completed backup">
        Choose another project, or make a backup first. It can be restored as soon as it is completed.
      </EmptyState>
    );
  return (
    <>
      <RadioCards
        legend="Backup"
        value={value}
        onChange={onChange}
        cards={shown.map((backup) => ({
          value: backup.id,
          title: <BackupTitle backup={backup} isOfAny={projectId === undefined} />,
          children: <BackupText backup={backup} />,
        }))}
      />
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older backups
        </Button>
      )}
    </>
  );
};

const words: Readonly<Record<string, string>> = {
  manual: 'Started by hand',
  scheduled: 'Scheduled',
  safety: 'Saved before a restore',
  'pitr-base': 'Base of point-in-time recovery',
  import: 'Imported',
};

const BackupTitle = ({ backup, isOfAny }: { readonly backup: Backup; readonly isOfAny: boolean }) => {
  const { readTime, createdAt, verifiedAt, trigger, projectName, projectId } = backup;
  const at = new Date(readTime ?? createdAt);
  return (
    <>
      {isOfAny && <strong className="wrap-anywhere">{projectName ?? projectId}</strong>}
      <span title={formatUtc(at)}>{formatMoment(at)}</span>
      <span className="muted">{formatRelative(at, new Date())}</span>
      {isFoundDamaged(backup) ? (
        <Badge tone="bad">Damaged</Badge>
      ) : verifiedAt ? (
        <Badge tone="good">Verified</Badge>
      ) : (
        <span className="muted">Never verified</span>
      )}
      {isUnusual(backup) && backup.anomaly?.source === 'backup' && <Badge tone="warn">Unusual changes</Badge>}
      {trigger === 'safety' && <Badge tone="warn">Only the documents of one restore</Badge>}
    </>
  );
};

const BackupText = ({ backup }: { readonly backup: Backup }) =>
  [
    backup.type === 'full' ? 'Full' : 'Incremental',
    formatPlural(backup.documentCount, 'document'),
    backup.sizeFormatted,
    isRestorePoint(backup) ? 'Made for a point-in-time restore' : (words[backup.trigger] ?? backup.trigger),
  ].join(' · ');
