/** Sends the mail of an invitation, as it is when the mail leaves. */
import { getAll, log, sendMail, type Tenant } from '../../platform/index.ts';
import { organizationKey } from '../model/record.ts';
import { invitationEmail } from './invitation-email.ts';
import { acceptUrl } from './invitation-token.ts';
import { isOpen } from './invite.ts';

/** Nothing is sent for an invitation that was cancelled, accepted or forgotten meanwhile, nor for a deleted organization. */
export const sendInvitation = async (tenant: Tenant, invitationId: string, now: Date): Promise<void> => {
  const keys = [organizationKey.organization(tenant), organizationKey.invitation(tenant, invitationId)] as const;
  const [organization, invitation] = await getAll(keys);
  if (!organization || organization.deletedAt || !invitation || !isOpen(invitation, now)) {
    log.info('no mail: the invitation is no longer open', { invitationId });
    return;
  }
  const { email, role, expiresAt, invitedBy } = invitation;
  const url = await acceptUrl({ organizationId: tenant.organizationId, invitationId, expiresAt });
  await sendMail(
    email,
    invitationEmail({ organizationName: organization.name, inviterEmail: invitedBy.email, role, url, expiresAt }),
  );
};
