import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isSignedOut } from '../../api/query-client.ts';
import { type Session, sessionQuery } from '../../api/session.ts';
import { type InvitationView, useInvitation } from '../../data/invitation.ts';
import { Centered } from '../../frame/centered.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Time } from '../../ui/data/time.tsx';
import { useParam } from '../../use-param.ts';
import { InvitationActions } from './invitation-actions.tsx';

/** What each role may do, for someone who decides whether to join. */
const roleTexts: Readonly<Record<InvitationView['role'], string>> = {
  viewer: 'You can see projects, backups and restores.',
  member: 'You can connect, back up, restore and disconnect projects, and manage schedules and restore tests.',
  admin: 'You can manage everything except ownership: storage, webhooks and people included.',
};

/** Where the link of an invitation e-mail leads. The link is enough to see it; answering needs the invited person. */
export const InvitationPage = () => {
  const token = useParam('token');
  const { data: invitation, error } = useInvitation(token);
  const session = useQuery(sessionQuery);
  useEffect(() => {
    document.title = 'Invitation · Backups';
  }, []);
  if (error && !invitation)
    return (
      <Centered>
        <h1>Invitation</h1>
        <ErrorNotice error={error} title="This invitation cannot be opened" />
        <p className="secondary">The link may be incomplete, or a newer e-mail replaced it. Ask the person who invited you.</p>
      </Centered>
    );
  const isKnown = session.data !== undefined || isSignedOut(session.error);
  if (!invitation || !isKnown)
    return (
      <Centered>
        <h1>Invitation</h1>
        {session.error && !isKnown ? <ErrorNotice error={session.error} /> : <SkeletonText lines={4} />}
      </Centered>
    );
  return (
    <Centered footer={session.data && `Signed in as ${session.data.email}`}>
      <Headline invitation={invitation} />
      <InvitationActions token={token} invitation={invitation} session={session.data as Session | undefined} />
    </Centered>
  );
};

const Headline = ({ invitation }: { readonly invitation: InvitationView }) => {
  const { organization, invitedBy, role, email, expiresAt, status } = invitation;
  return (
    <div className="stack">
      <h1 className="wrap-anywhere">Join {organization.name}</h1>
      <p className="secondary wrap-anywhere">
        <strong>{invitedBy.email}</strong> invites you to back up and restore Firestore projects together.
      </p>
      <dl className="pairs">
        <dt>Role</dt>
        <dd>
          <strong className="invitation__role">{role}</strong>
          <div className="muted small">{roleTexts[role]}</div>
        </dd>
        <dt>For</dt>
        <dd className="wrap-anywhere">{email}</dd>
        {status === 'pending' && (
          <>
            <dt>Open until</dt>
            <dd>
              <Time at={expiresAt} />
            </dd>
          </>
        )}
      </dl>
    </div>
  );
};
