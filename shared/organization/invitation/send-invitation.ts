/** Sends the mail of an invitation, as it is when the mail leaves. */
import { composeLetter, getAll, type Letter, log, sendMail, type Tenant, utcMinute } from '../../platform/index.ts';
import { organizationKey } from '../model/record.ts';
import { acceptUrl } from './invitation-token.ts';
import { isOpen } from './invite.ts';
import { isWithinRecipientLimit } from './recipient-limit.ts';

/** Sends nothing if the invitation is no longer open or the organization was deleted. */
export const sendInvitation = async (tenant: Tenant, invitationId: string, now: Date): Promise<void> => {
  const [organization, invitation] = await getAll([
    organizationKey.organization(tenant),
    organizationKey.invitation(tenant, invitationId),
  ]);
  if (!organization || organization.deletedAt || !invitation || !isOpen(invitation, now)) {
    log.info('invitation e-mail not sent: the invitation is no longer open', { invitationId });
    return;
  }
  const { email, role, expiresAt, invitedBy } = invitation;
  if (!(await isWithinRecipientLimit(email, now))) {
    log.warn('invitation e-mail suppressed: daily limit of the recipient reached', { invitationId });
    return;
  }
  const url = await acceptUrl({ organizationId: tenant.organizationId, invitationId, expiresAt });
  await sendMail(
    email,
    invitationEmail({ organizationName: organization.name, inviterEmail: invitedBy.email, role, url, expiresAt }),
  );
};

interface InvitationDetails {
  readonly organizationName: string;
  readonly inviterEmail: string;
  readonly role: string;
  readonly url: string;
  readonly expiresAt: string;
}

export const invitationEmail = ({ organizationName, inviterEmail, role, url, expiresAt }: InvitationDetails): Letter =>
  composeLetter(`You are invited to join ${organizationName}`, [
    [`${inviterEmail} invited you to join the organization `, { name: organizationName }, ` as ${role}.`],
    { text: 'Open the invitation', url },
    `You can accept it until ${utcMinute(expiresAt)}, signed in with this e-mail address.`,
    'If you did not expect this invitation, you can ignore this e-mail.',
  ]);
