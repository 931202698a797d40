/** The mail that invites someone. Whatever people typed is escaped, and said to be theirs. */
import { escaped, type Letter } from '../../platform/index.ts';

export interface InvitationDetails {
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
  const unasked = 'If you did not expect this, ignore it: nothing happens unless the invitation is accepted.';
  return {
    subject,
    text: [
      `${inviterEmail} invites you to join the organization "${organizationName}" as ${role}.`,
      `Open the invitation:\n${url}`,
      `It can be accepted until ${until}, signed in with this e-mail address.`,
      unasked,
      '',
    ].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body>`,
      `<p>${escaped(inviterEmail)} invites you to join the organization <b><bdi>${escaped(organizationName)}</bdi></b> as ${escaped(role)}.</p>`,
      `<p><a href="${escaped(url)}">Open the invitation</a></p>`,
      `<p>It can be accepted until ${escaped(until)}, signed in with this e-mail address.</p>`,
      `<p>${unasked}</p>`,
      '</body></html>',
      '',
    ].join('\n'),
  };
};
