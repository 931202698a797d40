/** The invitation e-mail. User-supplied text is escaped. */
import { escapeHtml, type Letter } from '../../platform/index.ts';

interface InvitationDetails {
  readonly organizationName: string;
  readonly inviterEmail: string;
  readonly role: string;
  readonly url: string;
  readonly expiresAt: string;
}

export const invitationEmail = ({ organizationName, inviterEmail, role, url, expiresAt }: InvitationDetails): Letter => {
  // '2025-01-08T09:30:00.000Z' → '2025-01-08 09:30 UTC'
  const until = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  const subject = `You are invited to join ${organizationName}`;
  const notice = 'If you did not expect this invitation, you can ignore this e-mail.';
  return {
    subject,
    text: [
      `${inviterEmail} invited you to join the organization "${organizationName}" as ${role}.`,
      `Open the invitation:\n${url}`,
      `You can accept it until ${until}, signed in with this e-mail address.`,
      notice,
      '',
    ].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>`,
      `<p>${escapeHtml(inviterEmail)} invited you to join the organization <b><bdi>${escapeHtml(organizationName)}</bdi></b> as ${escapeHtml(role)}.</p>`,
      `<p><a href="${escapeHtml(url)}">Open the invitation</a></p>`,
      `<p>You can accept it until ${escapeHtml(until)}, signed in with this e-mail address.</p>`,
      `<p>${notice}</p>`,
      '</body></html>',
      '',
    ].join('\n'),
  };
};
