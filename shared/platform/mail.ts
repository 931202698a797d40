/** The only door to SES. */
import { restCall } from './aws-json.ts';
import { env } from './env.ts';
import { log } from './log.ts';

/** A mail says the same twice: as plain text and as HTML. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Whatever people typed is text in a letter's HTML, never markup. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => entities[letter] ?? '');

/** Sends one letter to one address; nothing where the deployer named no sender, which is their choice and no failure. */
export const sendMail = async (to: string, { subject, text, html }: Letter): Promise<void> => {
  const from = env('MAIL_FROM');
  if (from === '') return log.info('no mail: the deployment has no sender (mailFrom)');
  const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  await restCall(
    { service: 'ses', method: 'POST', path: '/v2/email/outbound-emails' },
    {
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } } },
    },
  );
};
