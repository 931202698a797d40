import { type ReactNode, useState } from 'react';
import { ErrorNotice } from '../data/error-notice.tsx';
import { Button } from '../form/button.tsx';
import { Input } from '../form/field.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The consequences, in words. */
  readonly children: ReactNode;
  /** The text to type, such as the name of what is deleted. Every destructive action has one. */
  readonly typed?: string;
  readonly action: string;
  /** The button that changes nothing. */
  readonly dismiss?: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  /** Why it cannot be confirmed at all. */
  readonly reason?: string | undefined;
  readonly error?: unknown;
  /** The call that is confirmed: instead of `busy` and `error`. Closing the dialog forgets its error. */
  readonly mutation?: { readonly isPending: boolean; readonly error: unknown; readonly reset: () => void };
  /** What to do about the error, if the page knows more than its code says. */
  readonly advice?: string | undefined;
  readonly onConfirm: () => void;
}

export const ConfirmDialog = ({ open, onClose, children, ...rest }: ConfirmDialogProps) => {
  const { title, typed, action, dismiss = 'Cancel', danger = true, reason, advice, mutation, onConfirm } = rest;
  const { busy = mutation?.isPending ?? false, error = mutation?.error } = rest;
  const [text, setText] = useState('');
  const blocker = reason ?? (typed === undefined || text === typed ? undefined : `Type ${typed} first`);
  const close = (): void => {
    setText('');
    if (!busy) mutation?.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      actions={
        <>
          <Button onClick={close}>{dismiss}</Button>
          <Button variant={danger ? 'danger' : 'primary'} busy={busy} disabledReason={blocker} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (blocker === undefined && !busy) onConfirm();
        }}
      >
        <div className="secondary">{children}</div>
        {typed !== undefined && reason === undefined && (
          <Input
            label={
              <>
                Type <strong className="wrap-anywhere">{typed}</strong> to confirm
              </>
            }
            value={text}
            onChange={({ target }) => setText(target.value)}
            spellCheck={false}
            autoCapitalize="off"
          />
        )}
        {error !== undefined && error !== null && <ErrorNotice error={error} {...(advice && { advice })} />}
      </form>
    </Dialog>
  );
};
