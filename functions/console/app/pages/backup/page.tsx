import { Outlet, useLocation } from '@tanstack/react-router';
import { creatorOf } from '../../data/backup-words.ts';
import { type Backup, isBackupRunning, isUnusual, useBackup } from '../../data/backups.ts';
import { formatMoment } from '../../format/format-time.ts';
import { PageFailure } from '../../frame/page-failure.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { useParam } from '../../use-param.ts';
import { BackupActions } from './backup-actions.tsx';

const tabs = [
  ['Details', undefined],
  ['Browse', 'browse'],
  ['Compare', 'compare'],
  ['Configuration', 'configuration'],
] as const;

const crumb = { label: 'Backups', to: paths.backups };

/** The date does not break into two lines. */
const titleOf = ({ createdAt }: Backup): string => `Backup of ${formatMoment(new Date(createdAt)).replaceAll(' ', '\u00a0')}`;

const Description = ({ backup }: { readonly backup: Backup }) => (
  <>
    {backup.projectName ?? 'Removed project'} · <Email text={creatorOf(backup)} />
  </>
);

/** It has no contents, and never will have. */
const holdsNothing = ({ status }: Backup): boolean => status !== 'completed' && !isBackupRunning(status);

export const BackupPage = () => {
  const backupId = useParam('backupId');
  const { pathname } = useLocation();
  const { data: backup, error, refetch } = useBackup(backupId);
  if (error && !backup) return <PageFailure error={error} what="backup" crumb={crumb} onRetry={() => void refetch()} />;
  const all = tabs.map(([label, tab]) => ({
    label,
    isContents: tab !== undefined,
    to: paths.backup(backupId, tab),
    isActive: pathname === paths.backup(backupId, tab),
  }));
  // An address that was kept from before leads back to the details.
  const shown = backup && holdsNothing(backup) ? all.filter(({ isContents, isActive }) => !isContents || isActive) : all;
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
        description={backup && <Description backup={backup} />}
        actions={backup && <BackupActions backup={backup} />}
      />
      {shown.length > 1 && <Tabs label="Backup" tabs={shown} />}
      <Outlet />
    </>
  );
};
