import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isFoundDamaged } from '../../../../../shared/client/index.ts';
import { usePermission } from '../../api/permission.ts';
import { keptBecause } from '../../data/backup-words.ts';
import { type Backup, isBackupRunning, isUnusual, useCancelBackup, useDeleteBackup } from '../../data/backups.ts';
import { formatCount } from '../../format/format-number.ts';
import { CancelJob } from '../../parts/job/cancel-job.tsx';
import { paths } from '../../paths.ts';
import { IconButton } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/overlay/menu.tsx';
import { showToast } from '../../ui/overlay/toast.tsx';

export const BackupActions = ({ backup }: { readonly backup: Backup }) => {
  const member = usePermission('member');
  const admin = usePermission('admin');
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const { id, status, projectId } = backup;
  const copyId = async (): Promise<void> => {
    await navigator.clipboard.writeText(id);
    showToast('The id is copied');
  };
  return (
    <>
      {isBackupRunning(status) && <CancelBackup id={id} reason={member.reason} />}
      {status === 'completed' && (
        <ButtonLink
          // The next thing to do about unusual changes is in their card, and that about damage in its notice.
          variant={isUnusual(backup) || isFoundDamaged(backup) ? 'secondary' : 'primary'}
          icon="undo"
          to={paths.restoreWizard({ backupId: id })}
          disabledReason={member.reason}
        >
          Restore…
        </ButtonLink>
      )}
      {status === 'cancelled' && (
        <ButtonLink variant="primary" icon="refresh" to={`${paths.backups}?start=${projectId}`} disabledReason={member.reason}>
          Back up again
        </ButtonLink>
      )}
      <Menu trigger={<IconButton icon="more" label="More actions" variant="secondary" />}>
        {status === 'completed' && (
          <MenuItem
            icon="download"
            disabledReason={member.reason}
            onSelect={() => void navigate({ to: paths.newExport({ backupId: id }) })}
          >
            Export…
          </MenuItem>
        )}
        <MenuItem icon="copy" onSelect={() => void copyId()}>
          Copy the id
        </MenuItem>
        <MenuItem icon="trash" danger disabledReason={admin.reason ?? keptBecause(backup)} onSelect={() => setDeleting(true)}>
          Delete…
        </MenuItem>
      </Menu>
      {isDeleting && <DeleteDialog backup={backup} onClose={() => setDeleting(false)} />}
    </>
  );
};

interface DeleteDialogProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

const CancelBackup = ({ id, reason }: { readonly id: string; readonly reason: string | undefined }) => (
  <CancelJob what="backup" reason={reason} cancel={useCancelBackup(id)}>
    It stops now, and what it has stored so far is deleted. Earlier backups are not touched. Firestore reads that were made stay
    billed.
  </CancelJob>
);

const DeleteDialog = ({ backup, onClose }: DeleteDialogProps) => {
  const { id, projectName, documentCount, status, storageDestination } = backup;
  const navigate = useNavigate();
  const remove = useDeleteBackup(id);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this backup?"
      action="Delete the backup"
      typed={projectName ?? id}
      mutation={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: paths.backups }) })}
    >
      {status === 'completed' ? `Its ${formatCount(documentCount)} documents` : 'What it has stored'} will be deleted from{' '}
      {storageDestination.name} and can no longer be restored. This cannot be undone. Other backups and the live database are not
      touched.
    </ConfirmDialog>
  );
};
