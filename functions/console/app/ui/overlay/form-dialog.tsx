import { type ReactNode, useId } from 'react';
import { ErrorNotice } from '../data/error-notice.tsx';
import { Button } from '../form/button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'wide' | 'onClose'> {
  /** What the form sends. */
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: () => void;
  readonly action: string;
  /** Why the form cannot be sent. */
  readonly reason?: string | undefined;
  /** Why it cannot be left now: it creates something that is shown once. */
  readonly creating?: string | undefined;
  /** Fields that show their errors themselves. */
  readonly shownFields?: readonly string[];
  readonly onCancel?: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog, with its buttons and its error. */
export const FormDialog = (props: FormDialogProps) => {
  const {
    change,
    onSubmit,
    action,
    reason,
    creating,
    shownFields = [],
    onClose,
    onCancel = onClose,
    children,
    ...dialog
  } = props;
  const id = useId();
  return (
    <Dialog
      {...dialog}
      open
      stays={creating !== undefined}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onCancel} disabledReason={creating}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={id} busy={change.isPending} disabledReason={reason}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {change.error && <ErrorNotice error={change.error} shownFields={shownFields} />}
      </form>
    </Dialog>
  );
};
