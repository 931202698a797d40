import { type FormEvent, useId, useState } from 'react';
import { useInvite } from '../../data/team.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { type InvitableRole, RoleChoice } from '../../parts/role-choice.tsx';
import { CodeBlock } from '../../ui/data/code-block.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Time } from '../../ui/data/time.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Input } from '../../ui/form/field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';

interface InviteDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

export const InviteDialog = ({ open, onClose }: InviteDialogProps) => {
  const form = useId();
  const invite = useInvite();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<InvitableRole>('member');
  const close = (): void => {
    onClose();
    invite.reset();
    setEmail('');
    setRole('member');
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate({ email, role });
  };
  const sent = invite.data;
  return (
    <Dialog
      open={open}
      onClose={close}
      title={sent ? 'Invitation sent' : 'Invite someone'}
      actions={
        sent ? (
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit" form={form} busy={invite.isPending}>
              Send invitation
            </Button>
          </>
        )
      }
    >
      {sent ? (
        <div className="stack">
          <Notice tone="good" title={`An e-mail is on its way to ${sent.email}`}>
            The invitation ends <Time at={sent.expiresAt} relative />. You can also pass on this link; it works only for that
            e-mail address.
          </Notice>
          <CodeBlock label="Invitation link" code={sent.acceptUrl} />
        </div>
      ) : (
        <form id={form} className="stack" onSubmit={submit}>
          <Input
            label="E-mail address"
            type="email"
            required
            value={email}
            onChange={({ target }) => setEmail(target.value)}
            error={fieldError(invite.error, 'email')}
            hint="They sign in with the Google account of this address."
          />
          <RoleChoice value={role} onChange={setRole} />
          {invite.error && <ErrorNotice error={invite.error} shownFields={['email']} />}
        </form>
      )}
    </Dialog>
  );
};
