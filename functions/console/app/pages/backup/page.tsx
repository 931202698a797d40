import { Outlet, useLocation } from '@tanstack/react-router';
import { creatorOf } from '../../data/backup-words.ts';
import { type Backup, isUnusual, useBackup } from '../../data/backups.ts';
import { formatMoment } from '../../format/format-time.ts';
import { PageFailure } from '../../frame/page-failure.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { useParam } from '../../use-param.ts';
import { BackupActions } from './backup-actions.tsx';

const tabs = [
  ['Details', undefined],
  ['Browse', 'browse'],
  ['Compare', 'compare'],
] as const;

const crumb = { label: 'Backups', to: paths.backups };

/** The date does not break into two lines. */
const titleOf = ({ createdAt }: Backup): string => `Backup of ${formatMoment(new Date(createdAt)).replaceAll(' ', '\u00a0')}`;

const describe = (backup: Backup): string => `${backup.projectName ?? 'Removed project'} · ${creatorOf(backup)}`;

export const BackupPage = () => {
  const backupId = useParam('backupId');
  const { pathname } = useLocation();
  const { data: backup, error, refetch } = useBackup(backupId);
  if (error && !backup) return <PageFailure error={error} what="backup" crumb={crumb} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={backup ? titleOf(backup) : 'Backup'}
        crumbs={[crumb]}
        badge={
          backup && (
            <>
              <Status status={backup.status} />
              {isUnusual(backup) && <Badge tone="warn">Unusual changes</Badge>}
              {backup.verification?.status === 'failed' && <Badge tone="bad">Damaged</Badge>}
            </>
          )
        }
        description={backup && describe(backup)}
        actions={backup && <BackupActions backup={backup} />}
      />
      <Tabs
        label="Backup"
        tabs={tabs.map(([label, tab]) => ({
          label,
          to: paths.backup(backupId, tab),
          isActive: pathname === paths.backup(backupId, tab),
        }))}
      />
      <Outlet />
    </>
  );
};
