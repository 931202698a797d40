import { useState } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useInvitations, useMembers } from '../../data/team.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { LoadMore } from '../../ui/data/load-more.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Button } from '../../ui/form/button.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { InvitationTable } from './invitation-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { LeaveCard } from './leave-card.tsx';
import { MemberTable } from './member-table.tsx';

export const TeamPage = () => {
  const { isAllowed, reason } = usePermission('admin');
  const members = useMembers(isAllowed);
  const invitations = useInvitations(isAllowed);
  const [isInviting, setInviting] = useState(false);
  const invite = (
    <Button variant="primary" icon="plus" disabledReason={reason} onClick={() => setInviting(true)}>
      Invite
    </Button>
  );
  return (
    <>
      <PageHeader title="Team" description="Who works with this organization, and what they may do." actions={invite} />
      <div className="stack">
        {!isAllowed && (
          <Notice title="Only admins and the owner can see the team">Ask one of them if you need to know who has access.</Notice>
        )}
        {isAllowed && (
          <Card title="Members" flush>
            {members.query.error && !members.items ? (
              <div className="team__none">
                <ErrorNotice
                  error={members.query.error}
                  title="The members could not be loaded"
                  onRetry={() => void members.query.refetch()}
                />
              </div>
            ) : (
              <MemberTable members={members.items} />
            )}
            <LoadMore query={members.query} />
          </Card>
        )}
        {isAllowed && (
          <Card title="Pending invitations" flush>
            {invitations.query.error && !invitations.items ? (
              <div className="team__none">
                <ErrorNotice
                  error={invitations.query.error}
                  title="The invitations could not be loaded"
                  onRetry={() => void invitations.query.refetch()}
                />
              </div>
            ) : invitations.items?.length === 0 ? (
              <p className="team__none">None. People whom you invite by e-mail appear here until they have answered.</p>
            ) : (
              <InvitationTable invitations={invitations.items} />
            )}
            <LoadMore query={invitations.query} />
          </Card>
        )}
        <LeaveCard />
      </div>
      <InviteDialog open={isInviting} onClose={() => setInviting(false)} />
    </>
  );
};
