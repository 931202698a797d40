import { invites } from '../../shared/contract/endpoints/invitations.ts';
import { isId } from '../../shared/contract/ids.ts';
import { handle } from '../../shared/http/index.ts';
import {
  acceptUrl,
  cancelInvitation,
  type InvitationRecord,
  invite,
  listInvitations,
  organizationKey,
  resendInvitation,
} from '../../shared/organization/index.ts';
import { get, type Tenant } from '../../shared/platform/index.ts';

export const create = handle(invites.create, async (call) => {
  const holder = await get(organizationKey.address(call.tenant, call.body.email));
  const { invitation, change } = invite(call, { holder, ...call.body, now: call.now });
  return { data: { ...invitation, acceptUrl: await linkTo(call.tenant, invitation) }, change };
});

export const list = handle(invites.list, async ({ tenant, page, now }) => listInvitations(tenant, page, now));

export const cancel = handle(invites.cancel, async (call) => {
  const invitation = await read(call.tenant, call.params.inviteId);
  return { message: 'The invitation was cancelled', change: cancelInvitation(call, invitation, call.now) };
});

export const resend = handle(invites.resend, async (call) => {
  const { invitation, change } = resendInvitation(call, await read(call.tenant, call.params.inviteId), call.now);
  return { data: { ...invitation, acceptUrl: await linkTo(call.tenant, invitation) }, change };
});

const read = async (tenant: Tenant, id: string): Promise<InvitationRecord | undefined> =>
  isId('invitation', id) ? await get(organizationKey.invitation(tenant, id)) : undefined;

const linkTo = ({ organizationId }: Tenant, { id, expiresAt }: InvitationRecord): Promise<string> =>
  acceptUrl({ organizationId, invitationId: id, expiresAt });
