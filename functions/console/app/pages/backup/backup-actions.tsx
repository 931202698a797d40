import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { keptBecause } from '../../data/backup-words.ts';
import { type Backup, isBackupRunning, isUnusual, useCancelBackup, useDeleteBackup } from '../../data/backups.ts';
import { formatCount } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { Button, IconButton } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/overlay/menu.tsx';
import { showToast } from '../../ui/overlay/toast.tsx';

export const BackupActions = ({ backup }: { readonly backup: Backup }) => {
  const member = usePermission('member');
  const admin = usePermission('admin');
  const [open, setOpen] = useState<'cancel' | 'delete' | undefined>();
  const { id, status, projectId } = backup;
  const close = (): void => setOpen(undefined);
  const copyId = async (): Promise<void> => {
    await navigator.clipboard.writeText(id);
    showToast('The id is copied');
  };
  return (
    <>
      {isBackupRunning(status) && (
        <Button icon="close" variant="quiet-danger" disabledReason={member.reason} onClick={() => setOpen('cancel')}>
          Cancel backup…
        </Button>
      )}
      {status === 'completed' && (
        <ButtonLink
          // The next thing to do about unusual changes is in their card.
          variant={isUnusual(backup) ? 'secondary' : 'primary'}
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
        <MenuItem icon="copy" onSelect={() => void copyId()}>
          Copy the id
        </MenuItem>
        <MenuItem icon="trash" danger disabledReason={admin.reason ?? keptBecause(backup)} onSelect={() => setOpen('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {open === 'cancel' && <CancelDialog backup={backup} onClose={close} />}
      {open === 'delete' && <DeleteDialog backup={backup} onClose={close} />}
    </>
  );
};

interface BackupDialogProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

const CancelDialog = ({ backup: { id }, onClose }: BackupDialogProps) => {
  const cancel = useCancelBackup(id);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Cancel this backup?"
      action="Cancel the backup"
      dismiss="Keep it running"
      busy={cancel.isPending}
      onConfirm={() => cancel.mutate(undefined, { onSettled: onClose })}
    >
      It stops now, and what it has stored so far is deleted. Earlier backups are not touched. Firestore reads that were made stay
      billed.
    </ConfirmDialog>
  );
};

const DeleteDialog = ({ backup, onClose }: BackupDialogProps) => {
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
