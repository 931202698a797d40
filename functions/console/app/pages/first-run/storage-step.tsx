import { useId } from 'react';
import { StorageForm } from '../../forms/storage/storage-form.tsx';
import { useStorageForm } from '../../forms/storage/use-storage-form.ts';
import { Button } from '../../ui/form/button.tsx';

/** Adds the first storage. The list of destinations is read again afterwards, which ends this step. */
export const StorageStep = () => {
  const id = useId();
  const form = useStorageForm(undefined, () => undefined);
  return (
    <StorageForm id={id} form={form}>
      <div className="form__actions">
        <Button variant="primary" type="submit" busy={form.isPending} disabledReason={form.reason}>
          {form.isPending ? 'Testing the bucket' : 'Test and save'}
        </Button>
      </div>
    </StorageForm>
  );
};
