import { composeLetter, type Letter, utcMinute } from '../../platform/index.ts';

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
