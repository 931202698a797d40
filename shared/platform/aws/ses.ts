/** Sends e-mail with SES. */
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { callAws } from '../aws-client/call-aws.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import type { Letter } from '../compose-letter.ts';
import { env } from '../env.ts';
import { log } from '../observe/log.ts';
import { warm } from '../warm.ts';

const client = warm(() => new SESv2Client(sdkConfig));

/** Sends one e-mail. Without a configured sender address it does nothing. */
export const sendMail = async (to: string, { subject, text, html }: Letter): Promise<void> => {
  const from = env('MAIL_FROM');
  if (from === '') return log.info('e-mail not sent: the deployment has no sender address (mailFrom)');
  const utf8 = (data: string) => ({ Data: data, Charset: 'UTF-8' });
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } } },
  });
  await callAws((options) => client().send(command, options));
};
