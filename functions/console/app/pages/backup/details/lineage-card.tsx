import { Link } from '@tanstack/react-router';
import { typeWords } from '../../../data/backup-words.ts';
import { type Backup, useBackup } from '../../../data/backups.ts';
import { formatBytes } from '../../../format/format-number.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/data/card.tsx';
import { Skeleton } from '../../../ui/data/skeleton.tsx';
import { Time } from '../../../ui/data/time.tsx';

/** Parents shown; the last one leads on. */
const shownMax = 6;

/** The backups that an incremental one is built on, down to the full one. */
export const LineageCard = ({ backup }: { readonly backup: Backup }) => (
  <Card title="Built on" description="An incremental backup is read together with these. They are kept as long as it needs them.">
    <ol className="stack stack--tight">
      {backup.parentBackupId === null ? <li>No other backup</li> : <Ancestor backupId={backup.parentBackupId} depth={1} />}
    </ol>
  </Card>
);

const Ancestor = ({ backupId, depth }: { readonly backupId: string; readonly depth: number }) => {
  const { data, error } = useBackup(backupId);
  if (error) return <li className="muted">{backupId} is no longer listed</li>;
  if (!data)
    return (
      <li>
        <Skeleton width="60%" />
      </li>
    );
  const { type, createdAt, size, parentBackupId } = data;
  return (
    <>
      <li>
        <Link to={paths.backup(backupId)}>
          <Time at={createdAt} />
        </Link>{' '}
        <span className="muted">
          {typeWords[type]} · {formatBytes(size)}
        </span>
      </li>
      {parentBackupId !== null && type === 'incremental' && depth < shownMax && (
        <Ancestor backupId={parentBackupId} depth={depth + 1} />
      )}
      {parentBackupId !== null && depth === shownMax && <li className="muted">and earlier ones</li>}
    </>
  );
};
