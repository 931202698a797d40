import { useEffect, useState } from 'react';
import { dismissedKey } from '../api/stored-choices.ts';
import { type ReceivedInvitation, useReceivedInvitations } from '../data/invitation.ts';
import { paths } from '../paths.ts';
import { Notice } from '../ui/data/notice.tsx';
import { Time } from '../ui/data/time.tsx';
import { Button } from '../ui/form/button.tsx';
import { ButtonLink } from '../ui/form/button-link.tsx';

/** The page that people came for is shown first. */
const delayMs = 1_000;

const dismissed = (): readonly string[] => sessionStorage.getItem(dismissedKey)?.split(' ') ?? [];

/** Above the first page after the sign-in; “Not now” hides an invitation until the next one. */
export const LaterInvitations = () => {
  const [isTime, setTime] = useState(false);
  const [hidden, setHidden] = useState(dismissed);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useReceivedInvitations(isTime);
  const hide = (id: string): void => {
    sessionStorage.setItem(dismissedKey, [...dismissed(), id].join(' '));
    setHidden(dismissed);
  };
  return <InvitationNotices invitations={data?.filter(({ id }) => !hidden.includes(id))} onLater={hide} />;
};

/** For people without an organization, who may have come because of an invitation. */
export const ReceivedInvitations = () => <InvitationNotices invitations={useReceivedInvitations().data} />;

interface InvitationNoticesProps {
  readonly invitations: readonly ReceivedInvitation[] | undefined;
  readonly onLater?: (id: string) => void;
}

const InvitationNotices = ({ invitations, onLater }: InvitationNoticesProps) =>
  invitations && invitations.length > 0 ? (
    <section className="stack stack--medium invitations" aria-label="Invitations">
      {invitations.map(({ id, organization, invitedBy, role, expiresAt, token }) => (
        <Notice
          key={id}
          title={`You are invited to ${organization.name}`}
          actions={
            <>
              <ButtonLink size="small" to={paths.invitation(token)} label={`See the invitation to ${organization.name}`}>
                See the invitation
              </ButtonLink>
              {onLater && (
                <Button size="small" variant="quiet" onClick={() => onLater(id)}>
                  Not now
                </Button>
              )}
            </>
          }
        >
          {invitedBy.email} invites you as {role}. You can answer until <Time at={expiresAt} />.
        </Notice>
      ))}
    </section>
  ) : null;
