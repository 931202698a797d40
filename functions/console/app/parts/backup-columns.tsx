import { Link } from '@tanstack/react-router';
import { isFoundDamaged } from '../../../../shared/client/index.ts';
import { backupPhases, creatorOf, triggerWords, typeWords } from '../data/backup-words.ts';
import { type Backup, isBackupRunning, isUnusual } from '../data/backups.ts';
import { backupPercent, waitWords } from '../data/job-words.ts';
import { formatBytes, formatCount } from '../format/format-number.ts';
import { formatDuration, formatMoment } from '../format/format-time.ts';
import { paths } from '../paths.ts';
import { Badge, Status } from '../ui/data/badge.tsx';
import { Email } from '../ui/data/email.tsx';
import { None } from '../ui/data/none.tsx';
import { Progress } from '../ui/data/progress.tsx';
import type { Column } from '../ui/data/table.tsx';
import { Time } from '../ui/data/time.tsx';
import { RestoreLink } from './restore-link.tsx';

const StatusCell = ({ backup }: { readonly backup: Backup }) => {
  const { status, phase, startedAt, waitingFor, error } = backup;
  return (
    <span className="stack stack--close backup-row__status">
      <Status status={status} />
      {isUnusual(backup) && (
        <Badge tone="warn">
          Unusual<span className="visually-hidden"> changes</span>
        </Badge>
      )}
      {status === 'running' && (
        <Progress
          label={
            waitingFor ? waitWords[waitingFor.reason].title : (backupPhases.find(([name]) => name === phase)?.[1] ?? 'Backup')
          }
          percent={backupPercent(backup)}
          since={startedAt}
          tone={waitingFor ? 'warn' : 'accent'}
        />
      )}
      {error && (
        <span className="backup-row__error" title={error.message}>
          {error.message}
        </span>
      )}
    </span>
  );
};

/** What is proven of it: a restore of it was tested, it was verified, or neither. */
const ProofCell = ({ backup }: { readonly backup: Backup }) => {
  const { status, verification, verifiedAt, restoreTestedAt } = backup;
  if (verification?.status === 'running')
    return <Progress label="Verifying" percent={verification.percent} since={verification.checkedAt} />;
  if (isFoundDamaged(backup)) return <Badge tone="bad">Damaged</Badge>;
  const at = restoreTestedAt ?? verifiedAt;
  if (!at) return status === 'completed' ? <span className="muted">Never verified</span> : <None />;
  return (
    <span className="backup-row__name">
      {restoreTestedAt ? 'Restore tested' : 'Verified'}
      <span className="muted small">
        <Time at={at} relative />
      </span>
    </span>
  );
};

/** When it expires, and when the storage may delete it: a lock can outlast a backup that is no more. */
const ExpiryCell = ({ backup: { status, expiresAt, retentionPolicy, lockedUntil } }: { readonly backup: Backup }) => {
  const isLocked = lockedUntil !== null && new Date(lockedUntil) > new Date();
  if (status !== 'completed' && !isLocked) return <None />;
  const byRule = retentionPolicy ? 'By policy' : 'Never';
  return (
    <span className="backup-row__name">
      {status === 'completed' && (expiresAt ? <Time at={expiresAt} relative /> : byRule)}
      {isLocked && (
        <span className="muted small backup-row__lock">
          Lock ends <Time at={lockedUntil} relative />
        </span>
      )}
    </span>
  );
};

/** When it was taken, of what kind it is, and of which project. */
const nameColumn = (hasProject: boolean): Column<Backup> => ({
  key: 'createdAt',
  label: 'Backup',
  isTitle: true,
  cell: ({ id, createdAt, type, trigger, projectName }) => {
    const project = hasProject ? ` · ${projectName ?? 'Removed project'}` : '';
    return (
      <span className="backup-row__name">
        <Link to={paths.backup(id)}>
          <Time at={createdAt} />
        </Link>
        <span className="backup-row__kind">
          <span className="truncate" title={`${typeWords[type]}${project}`}>
            {typeWords[type]}
            {project}
          </span>
        </span>
        {trigger !== 'manual' && <span className="table__instead muted small">{triggerWords[trigger]}</span>}
      </span>
    );
  },
});

const others: readonly Column<Backup>[] = [
  { key: 'status', label: 'Status', cell: (backup) => <StatusCell backup={backup} /> },
  {
    key: 'by',
    label: 'Started by',
    isMinor: true,
    cell: (backup) => (
      <span className="backup-row__by">
        <span className="truncate" title={creatorOf(backup)}>
          <Email text={creatorOf(backup)} />
        </span>
        {backup.createdBy?.email && backup.trigger !== 'manual' && (
          <span className="muted small">{triggerWords[backup.trigger]}</span>
        )}
      </span>
    ),
  },
  {
    key: 'documents',
    label: 'Documents',
    isNumber: true,
    cell: ({ status, documentCount, progress, size, duration }) => {
      if (isBackupRunning(status)) return formatCount(progress.documents);
      if (status !== 'completed') return <None />;
      return (
        <span className="backup-row__name">
          {formatCount(documentCount)}
          <span className="muted small" title={duration === null ? undefined : `Took ${formatDuration(duration)}`}>
            {formatBytes(size)}
          </span>
        </span>
      );
    },
  },
  { key: 'expiry', label: 'Expires', cell: (backup) => <ExpiryCell backup={backup} /> },
  { key: 'proof', label: 'Proof', cell: (backup) => <ProofCell backup={backup} /> },
  {
    key: 'restore',
    label: 'Actions',
    isActions: true,
    cell: ({ id, status, createdAt }) =>
      status === 'completed' && (
        <RestoreLink from={{ backupId: id }} label={`Restore the backup of ${formatMoment(new Date(createdAt))}`} />
      ),
  },
];

/** The columns of every list of backups; lists of one project omit its name. */
export const backupColumns: readonly Column<Backup>[] = [nameColumn(true), ...others];
export const projectBackupColumns: readonly Column<Backup>[] = [nameColumn(false), ...others];
