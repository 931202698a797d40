import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { personClient, rememberOrganization, type Session, sessionQuery, signIn } from '../../api/session.ts';
import { useSingleMutation } from '../../api/use-single-mutation.ts';
import { type InvitationView, invitationKey, receivedKey } from '../../data/invitation.ts';
import { paths } from '../../paths.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button, buttonClass } from '../../ui/form/button.tsx';
import { showToast } from '../../ui/overlay/toast.tsx';

interface Props {
  readonly token: string;
  readonly invitation: InvitationView;
  readonly session: Session | undefined;
}

const endedTexts: Readonly<Record<Exclude<InvitationView['status'], 'pending'>, string>> = {
  accepted: 'This invitation was accepted.',
  declined: 'This invitation was declined. You can be invited again.',
  cancelled: 'This invitation was withdrawn.',
  expired: 'This invitation has expired. Ask for a new one.',
};

export const InvitationActions = ({ token, invitation, session }: Props) => {
  const { status, organization, email } = invitation;
  if (status !== 'pending') {
    const isMember = session?.organizations.some(({ id }) => id === organization.id);
    return (
      <Notice
        tone={status === 'accepted' ? 'good' : 'info'}
        title={endedTexts[status]}
        actions={
          isMember && (
            <Link
              to={paths.overview}
              className={buttonClass('secondary', 'small')}
              onClick={() => rememberOrganization(organization.id)}
            >
              Open {organization.name}
            </Link>
          )
        }
      />
    );
  }
  const back = paths.invitation(token);
  if (!session)
    return (
      <Button variant="primary" onClick={() => signIn(back)}>
        Sign in to answer
      </Button>
    );
  if (session.email.toLowerCase() !== email.toLowerCase())
    return (
      <Notice
        tone="warn"
        title="You are signed in with another address"
        actions={
          <Button size="small" onClick={() => signIn(back)}>
            Use another account
          </Button>
        }
      >
        The invitation is for {email}; you are {session.email}.
      </Notice>
    );
  return <Answer token={token} organization={organization} />;
};

const Answer = ({ token, organization }: { readonly token: string; readonly organization: InvitationView['organization'] }) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const accept = useSingleMutation({
    mutationFn: () => personClient.request('POST /invitations/{token}/accept', { params: { token } }),
    onSuccess: async () => {
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await queries.invalidateQueries({ queryKey: receivedKey });
      rememberOrganization(organization.id);
      showToast(`Welcome to ${organization.name}`);
      await navigate({ to: paths.overview });
    },
  });
  const decline = useSingleMutation({
    mutationFn: () => personClient.request('POST /invitations/{token}/decline', { params: { token } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: receivedKey });
      await queries.invalidateQueries({ queryKey: invitationKey(token) });
    },
  });
  const error = accept.error ?? decline.error;
  return (
    <div className="stack">
      {error && <ErrorNotice error={error} />}
      <Button variant="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
        Accept and join
      </Button>
      <Button variant="quiet" busy={decline.isPending} onClick={() => decline.mutate()}>
        Decline
      </Button>
    </div>
  );
};
