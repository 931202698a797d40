/** The only door to SES. */
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { env } from './env.ts';
import { patience } from './patience.ts';

let opened: SESv2Client | undefined;
const client = (): SESv2Client => {
  opened ??= new SESv2Client(patience);
  return opened;
};

/** A mail says the same twice: as plain text and as HTML. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Whatever people typed is text in a letter's HTML, never markup. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => entities[letter] ?? '');

/** Sends one letter to one address. */
export const sendMail = async (to: string, { subject, text, html }: Letter): Promise<void> => {
  const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  await client().send(
    new SendEmailCommand({
      FromEmailAddress: env('MAIL_FROM'),
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } } },
    }),
  );
};
