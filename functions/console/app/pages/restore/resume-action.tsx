import { useState } from 'react';
import { deletionCount } from '../../data/confirmed-deletions.ts';
import { type Restore, useResumeRestore } from '../../data/restores.ts';
import { DeletionList } from '../../parts/deletion-list.tsx';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { planAgain } from './plan-again.ts';

interface ResumeActionProps {
  readonly restore: Restore;
  /** Why the person may not do it. */
  readonly reason: string | undefined;
}

/**
 * Goes on where the restore stopped. What it would still delete is shown and confirmed first; without a finished plan that is not
 * known, so a new plan is made instead.
 */
export const ResumeAction = ({ restore, reason }: ResumeActionProps) => {
  const { restoreJobId, undoneBy, undoOf, mergeMode, plan, documentsDeleted, targetProjectName } = restore;
  const resume = useResumeRestore(restoreJobId);
  const [isOpen, setOpen] = useState(false);
  const blocker = reason ?? (undoneBy === null ? undefined : 'It was undone');
  const isDeleting = mergeMode === 'rollback' || undoOf !== null;
  if (plan === null && isDeleting)
    return (
      <ButtonLink
        icon="refresh"
        variant="primary"
        disabledReason={blocker}
        to={undoOf === null ? planAgain(restore) : paths.undoRestore(undoOf, restoreJobId)}
      >
        Plan again
      </ButtonLink>
    );
  const deletions = plan?.deletions ?? [];
  const planned = plan ? deletionCount({ delete: plan.delete, deletions }) : 0;
  const mustConfirm = planned > documentsDeleted;
  return (
    <>
      <Button
        icon="refresh"
        variant="primary"
        busy={resume.isPending}
        disabledReason={blocker}
        onClick={() => (mustConfirm ? setOpen(true) : resume.mutate())}
      >
        {mustConfirm ? 'Resume…' : 'Resume'}
      </Button>
      {mustConfirm && (
        <ConfirmDialog
          open={isOpen}
          onClose={() => setOpen(false)}
          title="Resume this restore?"
          action="Resume and delete"
          typed={targetProjectName}
          busy={resume.isPending}
          onConfirm={() => resume.mutate(undefined, { onSettled: () => setOpen(false) })}
        >
          <div className="stack">
            <p>It writes the rest of its plan, which includes deletions. What was deleted already is not deleted again.</p>
            <DeletionList
              paths={deletions}
              total={planned}
              targetName={targetProjectName}
              promise="Its plan is finished: no other document is deleted."
            />
          </div>
        </ConfirmDialog>
      )}
    </>
  );
};
