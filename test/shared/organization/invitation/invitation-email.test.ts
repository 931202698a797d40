import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { invitationEmail } from '../../../../shared/organization/invitation/send-invitation.ts';

const url = 'https://backup.example.com/api/v1/invitations/a.b.c';
const letter = invitationEmail({
  organizationName: `<script>alert("1")</script> & 'Sons'`,
  inviterEmail: '"<b>"@example.com',
  role: 'admin',
  url,
  expiresAt: '2025-06-08T12:34:56.789Z',
});

test('invitationEmail: user input is escaped in the HTML', () => {
  ok(!/<script|<b>"/.test(letter.html));
  ok(letter.html.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;'));
});

test('invitationEmail: user input is unchanged in the plain text', () =>
  ok(letter.text.includes(`"<script>alert("1")</script> & 'Sons'"`)));

test('invitationEmail: both forms contain the link and the expiry', () => {
  for (const form of [letter.text, letter.html]) ok(form.includes(url) && form.includes('2025-06-08 12:34 UTC'));
});

test('invitationEmail: the subject is one line', () => equal(letter.subject.split(/[\r\n]/).length, 1));
