import { type ReactNode, useId } from 'react';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import type { useRecordForm } from './use-record-form.ts';

type RecordForm = Pick<
  ReturnType<typeof useRecordForm>,
  'error' | 'isNew' | 'isCreating' | 'isPending' | 'submit' | 'cancel' | 'close'
>;

interface RecordDialogProps {
  readonly form: RecordForm;
  readonly title: string;
  readonly wide?: boolean;
  /** Its button if it creates a record. */
  readonly action: string;
  /** Why it cannot be left while it creates one. */
  readonly creating: string;
  /** Why it cannot be sent. */
  readonly reason?: string | undefined;
  /** Fields that show their errors themselves. */
  readonly shownFields: readonly string[];
  readonly children: ReactNode;
}

/** The form of `useRecordForm` in a dialog. */
export const RecordDialog = ({
  form,
  title,
  wide = false,
  action,
  creating,
  reason,
  shownFields,
  children,
}: RecordDialogProps) => {
  const id = useId();
  return (
    <Dialog
      open
      wide={wide}
      stays={form.isCreating}
      onClose={form.close}
      title={title}
      actions={
        <>
          <Button onClick={form.cancel} disabledReason={form.isCreating ? creating : undefined}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={id} busy={form.isPending} disabledReason={reason}>
            {form.isNew ? action : 'Save'}
          </Button>
        </>
      }
    >
      <form id={id} className="stack" onSubmit={form.submit}>
        {children}
        {form.error && <ErrorNotice error={form.error} shownFields={shownFields} />}
      </form>
    </Dialog>
  );
};
