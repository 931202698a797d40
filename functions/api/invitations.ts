import { readUser } from '../../shared/account/index.ts';
import { invitations } from '../../shared/contract/endpoints/invitations.ts';
import { handle } from '../../shared/http/index.ts';
import {
  acceptInvitation,
  declineInvitation,
  findInvitation,
  invitationStatus,
  listReceivedInvitations,
} from '../../shared/organization/index.ts';
import { iso } from '../../shared/platform/index.ts';

export const list = handle(invitations.list, async ({ user, page, now }) =>
  listReceivedInvitations(await readUser(user.userId), page, now),
);

export const view = handle(invitations.view, async ({ params, now }) => {
  const { organization, invitation } = await findInvitation(params.token, undefined, now);
  return { data: { ...invitation, organization, status: invitationStatus(invitation, now) } };
});

export const accept = handle(invitations.accept, async ({ user, params, now }) => {
  const found = await findInvitation(params.token, user.userId, now);
  const change = acceptInvitation(found, now);
  return { data: { organization: found.organization, role: found.invitation.role, joinedAt: iso(now) }, change };
});

export const decline = handle(invitations.decline, async ({ user, params, now }) => {
  const found = await findInvitation(params.token, user.userId, now);
  return { data: { organization: found.organization, status: 'declined' as const }, change: declineInvitation(found, now) };
});
