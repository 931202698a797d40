import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { isRestoreActive, type Restore, useCancelRestore } from '../../data/restores.ts';
import { CancelJob } from '../../parts/job/cancel-job.tsx';
import { paths } from '../../paths.ts';
import { Button, buttonClass } from '../../ui/form/button.tsx';
import { useSearchParams } from '../../use-search.ts';
import { ResumeAction } from './resume-action.tsx';
import { UndoDialog } from './undo-dialog.tsx';

/** Cancel while it runs; afterwards resume, or undo. */
export const RestoreActions = ({ restore }: { readonly restore: Restore }) => {
  const { reason } = usePermission('member');
  if (isRestoreActive(restore)) return <Cancel restore={restore} reason={reason} />;
  if (restore.dryRun)
    return restore.undoOf === null ? null : (
      <Link className={buttonClass()} to={paths.restore(restore.undoOf)}>
        The restore
      </Link>
    );
  return (
    <>
      {restore.status !== 'completed' && restore.error?.code !== 'PLAN_CHANGED' && (
        <ResumeAction restore={restore} reason={reason} />
      )}
      <Undo restore={restore} reason={reason} />
    </>
  );
};

interface ActionProps {
  readonly restore: Restore;
  /** Why the person may not do it. */
  readonly reason: string | undefined;
}

const Cancel = ({ restore: { restoreJobId, targetProjectName, phase, cancelling }, reason }: ActionProps) => (
  <CancelJob what="restore" reason={reason} isCancelling={cancelling} cancel={useCancelRestore(restoreJobId)}>
    {phase === 'Restoring'
      ? `What it has written into ${targetProjectName} remains. You can undo it, or resume it to write the rest.`
      : 'Nothing was written yet.'}
  </CancelJob>
);

const Undo = ({ restore, reason }: ActionProps) => {
  // The page of an undo that has stopped leads here to plan it again.
  const [{ undo: changedFrom }, setSearch] = useSearchParams();
  const blocker = reason ?? undoBlocker(restore);
  /** Counts the openings, because each makes a plan of its own. */
  const [opened, setOpened] = useState(1);
  const [isOpen, setOpen] = useState(changedFrom !== undefined && blocker === undefined);
  const open = (): void => {
    setOpened(opened + 1);
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    if (changedFrom !== undefined) setSearch({ undo: undefined }, { replace: true });
  };
  return (
    <>
      <Button icon="undo" variant="quiet-danger" disabledReason={blocker} onClick={open}>
        Undo…
      </Button>
      {isOpen && <UndoDialog restore={restore} opened={opened} changedFrom={changedFrom} onClose={close} />}
    </>
  );
};

/** Why there is no undo; undefined if there is one. */
const undoBlocker = ({ undoneBy, undoUntil, safetyBackupId }: Restore): string | undefined => {
  if (undoneBy !== null) return 'It was undone already';
  if (safetyBackupId === null) return 'It has no safety backup: it wrote nothing, or was made without one';
  if (undoUntil === null) return 'Its safety backup was deleted';
  return new Date(undoUntil) <= new Date() ? 'A restore can be undone for 7 days' : undefined;
};
