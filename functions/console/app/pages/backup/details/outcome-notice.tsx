import { isFoundDamaged } from '../../../../../../shared/client/index.ts';
import type { Backup } from '../../../data/backups.ts';
import { sentence } from '../../../format/sentence.ts';
import { Notice } from '../../../ui/data/notice.tsx';
import { Time } from '../../../ui/data/time.tsx';
import { DamagedBackup } from './damaged-backup.tsx';
import { FailedBackup } from './failed-backup.tsx';

/** How a backup ended, if there is something to say about it. */
export const OutcomeNotice = ({ backup }: { readonly backup: Backup }) => {
  const { status, fullBecause, unknownCollections, objectsKept, lockProblem, expiresAt } = backup;
  return (
    <>
      {status === 'completed' && isFoundDamaged(backup) && <DamagedBackup backup={backup} />}
      {status === 'failed' && <FailedBackup backup={backup} />}
      {status === 'cancelled' && (
        <Notice tone="warn" title="This backup was cancelled">
          What it had stored is deleted. Earlier backups are not touched.
        </Notice>
      )}
      {status === 'expired' && (
        <Notice tone="warn" title="This backup has expired">
          Its retention ended <Time at={expiresAt} relative />, and its objects were deleted. It can no longer be restored.
        </Notice>
      )}
      {status === 'deleted' && (
        <Notice tone="warn" title="This backup was deleted">
          It can no longer be restored. This page remains for 30 days.
        </Notice>
      )}
      {fullBecause && (
        <Notice title="This backup is full although an incremental one was scheduled">{sentence(fullBecause)}</Notice>
      )}
      {status === 'completed' && unknownCollections.length > 0 && (
        <Notice tone="warn" title="Some collections had no documents">
          <span className="wrap-anywhere">{unknownCollections.join(', ')}</span>: they did not exist when the backup was taken.
        </Notice>
      )}
      {status === 'completed' && lockProblem && (
        <Notice tone="warn" title="The storage protects this backup for less time than it should">
          <span className="wrap-anywhere">{sentence(lockProblem.reason)}</span> Found <Time at={lockProblem.since} />. The backup
          can be restored. Check who may change locks in the bucket, and that the service may. The next incremental backup extends
          the locks of what it builds on.
        </Notice>
      )}
      {objectsKept && (
        <Notice tone="warn" title="Objects of this backup are still in the storage">
          {sentence(objectsKept.reason)} Found <Time at={objectsKept.since} />. Once the storage allows it, delete the backup
          again.
        </Notice>
      )}
    </>
  );
};
