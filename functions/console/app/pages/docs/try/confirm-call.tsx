import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog.tsx';
import type { Endpoint } from '../model/read-reference.ts';
import type { CallDraft } from './call-draft.ts';

interface ConfirmCallProps {
  readonly open: boolean;
  readonly endpoint: Endpoint;
  readonly draft: CallDraft;
  /** Its name; undefined if the call belongs to no organization. */
  readonly organization: string | undefined;
  /** Undefined if no person is signed in, which only public endpoints allow. */
  readonly email: string | undefined;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Asks before a call that changes something. A destructive one needs the name of the organization typed, else the reader's address. */
export const ConfirmCall = ({ open, endpoint, draft, organization, email, onClose, onConfirm }: ConfirmCallProps) => {
  const { method, path, parameters, isDestructive, operation } = endpoint;
  const address = parameters.reduce((text, { name }) => text.replace(`{${name}}`, draft.values[name] ?? `{${name}}`), path);
  const typed = organization ?? email ?? method;
  return (
    <ConfirmDialog
      key={String(open)}
      open={open}
      onClose={onClose}
      title={isDestructive ? 'This call deletes, overwrites or ends something' : 'Send this call?'}
      action="Send"
      danger={isDestructive}
      {...(isDestructive && { typed })}
      onConfirm={onConfirm}
    >
      <div className="stack">
        <p>
          <code className="wrap-anywhere">
            {method} {address}
          </code>
        </p>
        <p>
          {operation.summary}. It is a real call{email === undefined ? '' : `, sent as ${email}`}
          {organization === undefined ? '' : `, in the organization ${organization}`}.
        </p>
      </div>
    </ConfirmDialog>
  );
};
