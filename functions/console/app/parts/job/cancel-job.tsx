import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/form/button.tsx';
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog.tsx';

interface CancelJobProps {
  /** As in “Cancel this restore?”. */
  readonly what: 'backup' | 'restore' | 'export';
  /** Why the person may not do it. */
  readonly reason: string | undefined;
  /** It has been cancelled already, and ends soon. */
  readonly isCancelling?: boolean;
  readonly cancel: {
    readonly isPending: boolean;
    readonly mutate: (input: undefined, options: { readonly onSettled: () => void }) => void;
  };
  /** What happens to what it has done so far. */
  readonly children: ReactNode;
}

/** Cancels a job that runs, once the consequence is confirmed. */
export const CancelJob = ({ what, reason, isCancelling = false, cancel, children }: CancelJobProps) => {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button
        icon="close"
        variant="quiet-danger"
        disabledReason={reason ?? (isCancelling ? 'It is being cancelled' : undefined)}
        onClick={() => setOpen(true)}
      >
        Cancel {what}…
      </Button>
      <ConfirmDialog
        open={isOpen}
        onClose={close}
        title={`Cancel this ${what}?`}
        action={`Cancel the ${what}`}
        dismiss="Keep it running"
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate(undefined, { onSettled: close })}
      >
        {children}
      </ConfirmDialog>
    </>
  );
};
