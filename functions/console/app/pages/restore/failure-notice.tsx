import { usePermission } from '../../api/permission.ts';
import { newDeletions, readConfirmed } from '../../data/confirmed-deletions.ts';
import type { Restore } from '../../data/restores.ts';
import { sentence } from '../../format/sentence.ts';
import { PathList } from '../../parts/path-list.tsx';
import { paths } from '../../paths.ts';
import { Notice } from '../../ui/data/notice.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { planAgain } from './plan-again.ts';

/** What to do, by the code of the error. */
const advices: Readonly<Record<string, string>> = {
  SOURCE_AUTH_ERROR: 'Reconnect the target with an account that may write to it, then resume.',
  TARGET_PERMISSION_DENIED: 'Give the connected account the permission, then resume.',
  WRITE_QUOTA_EXCEEDED: 'Wait until the quota of the database is free again, or raise it, then resume.',
  STORAGE_READ_ERROR: 'Check that the bucket of the backup can be read, then resume.',
  STORAGE_UPLOAD_ERROR: 'Check that the bucket of the safety backup accepts objects, then resume.',
  COUNT_MISMATCH:
    'The list below has the documents that were not written. Resume to try them again; those that were changed meanwhile need a new restore.',
  CHUNK_CORRUPT: 'The backup is damaged. Verify it, and restore another one.',
  KEY_UNAVAILABLE: 'Make the key of the backup available again, then resume.',
};

/** Why a restore has ended early, what that means for the data, and what to do. */
export const FailureNotice = ({ restore }: { readonly restore: Restore }) => {
  const { status, error, documentsRestored, documentsUnchanged, documentsDeleted } = restore;
  if (status === 'cancelled')
    return (
      <Notice tone="warn" title="The restore was cancelled">
        {documentsRestored - documentsUnchanged + documentsDeleted === 0
          ? 'Nothing was written before.'
          : 'What it wrote before remains. Undo it, or resume to write the rest.'}
      </Notice>
    );
  if (status !== 'failed' || !error) return null;
  if (error.code === 'PLAN_CHANGED') return <PlanChanged restore={restore} />;
  return (
    <Notice tone="bad" title="The restore has failed" actions={<Remedy restore={restore} />}>
      <p className="wrap-anywhere">{sentence(error.message)}</p>
      <p>
        {effectOf(restore)} {advices[error.code] ?? 'Resume to go on where it stopped.'}
      </p>
    </Notice>
  );
};

/** Where the cause is mended, before the restore is resumed. */
const Remedy = ({ restore: { error, targetProjectId, targetProjectName } }: { readonly restore: Restore }) => {
  const { reason } = usePermission('member');
  switch (error?.code) {
    case 'SOURCE_AUTH_ERROR':
    case 'TARGET_PERMISSION_DENIED':
      return (
        <ButtonLink size="small" icon="refresh" to={`${paths.project(targetProjectId)}?reconnect=true`} disabledReason={reason}>
          Reconnect {targetProjectName}
        </ButtonLink>
      );
    case 'STORAGE_READ_ERROR':
    case 'STORAGE_UPLOAD_ERROR':
      return (
        <ButtonLink size="small" icon="lock" to={paths.storage}>
          Test the storage
        </ButtonLink>
      );
    default:
      return null;
  }
};

const effectOf = ({ safetyBackupId, documentsRestored, documentsUnchanged, documentsDeleted }: Restore): string => {
  if (documentsRestored - documentsUnchanged + documentsDeleted === 0) return 'Nothing was written to the target.';
  return safetyBackupId === null ? 'A part was written.' : 'A part was written. What it replaced or deleted is saved.';
};

const PlanChanged = ({ restore }: { readonly restore: Restore }) => {
  const deletions = restore.error?.details.deletions;
  const names = Array.isArray(deletions) ? deletions.map(String) : [];
  const count = restore.error?.details.delete;
  const added = newDeletions(names, readConfirmed(restore.restoreJobId));
  return (
    <Notice
      tone="warn"
      title="Stopped: nothing was written"
      actions={
        <ButtonLink
          variant="primary"
          size="small"
          to={restore.undoOf === null ? planAgain(restore) : paths.undoRestore(restore.undoOf, restore.restoreJobId)}
        >
          {restore.undoOf === null ? 'See the new plan' : 'See the new plan of the undo'}
        </ButtonLink>
      }
    >
      <p>
        The target changed after the plan was made, so other documents would have been deleted than it showed. Check the new plan
        and confirm it again.
      </p>
      {names.length > 0 && (
        <>
          <p>It would now delete:</p>
          <PathList paths={names} total={Math.max(Number(count) || 0, names.length)} added={added} />
        </>
      )}
    </Notice>
  );
};
