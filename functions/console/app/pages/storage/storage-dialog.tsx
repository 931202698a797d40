import { useId } from 'react';
import type { StorageDestination } from '../../data/storage.ts';
import { StorageForm } from '../../forms/storage/storage-form.tsx';
import { useStorageForm } from '../../forms/storage/use-storage-form.ts';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface StorageDialogProps {
  /** Undefined: add one. */
  readonly saved: StorageDestination | undefined;
  readonly onClose: () => void;
}

export const StorageDialog = ({ saved, onClose }: StorageDialogProps) => {
  const id = useId();
  const form = useStorageForm(saved, onClose);
  const cancel = (): void => {
    form.forget();
    onClose();
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={saved ? 'Change the storage' : 'Add storage'}
      description="Backups go into a bucket that you own. It is tested before it is saved: writing, reading, listing, deleting."
      actions={
        <>
          <Button onClick={cancel}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} busy={form.isPending} disabledReason={form.reason}>
            {form.isPending ? 'Testing the bucket' : 'Test and save'}
          </Button>
        </>
      }
    >
      <StorageForm id={id} form={form} />
    </Dialog>
  );
};
