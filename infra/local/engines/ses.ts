/** SES: accepts e-mails and keeps them in an outbox. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { AwsError, type EngineOptions, type Json, makeEngine, type Operation, text } from '../base/aws-service.ts';
import type { Mail } from '../base/types.ts';
import { openAppendLog } from './shared/append-log.ts';
import type { Routes } from './shared/aws-protocols.ts';

export const sesRoutes: Routes = { 'POST /v2/email/outbound-emails': 'SendEmail' };

interface Part {
  readonly Data?: string;
}

export const openSes = ({ dir, region, account }: EngineOptions) => {
  const mails = openAppendLog<Mail>(join(dir, 'mail', 'outbox.jsonl'));

  const send = (input: Json): Json => {
    const { Simple: simple } = (input.Content ?? {}) as { Simple?: { Subject?: Part; Body?: { Text?: Part; Html?: Part } } };
    if (!simple) throw new AwsError('BadRequestException', 'The local SES supports simple content only');
    const to = recipients(input);
    if (to.length === 0) throw new AwsError('BadRequestException', 'Missing final recipient');
    const mail: Mail = {
      id: randomUUID(),
      from: text(input, 'FromEmailAddress'),
      to,
      subject: simple.Subject?.Data ?? '',
      text: simple.Body?.Text?.Data ?? '',
      html: simple.Body?.Html?.Data ?? '',
      sentAt: new Date().toISOString(),
    };
    mails.set(mail.id, mail);
    return { MessageId: mail.id };
  };

  const needs = ({ input }: Operation) => {
    const address = addressOf(text(input, 'FromEmailAddress'));
    // The deployer verified either the address or the domain; a grant on one of them is enough.
    const identities = [address, address.slice(address.indexOf('@') + 1)];
    return [
      {
        action: 'ses:SendEmail',
        resources: identities.map((identity) => `arn:aws:ses:${region}:${account}:identity/${identity}`),
        keys: { 'ses:FromAddress': [address], 'ses:Recipients': recipients(input).map(addressOf) },
      },
    ];
  };

  /** Newest first. */
  const outbox = (): readonly Mail[] => mails.values().toReversed();
  return { ...makeEngine({ SendEmail: send }, needs), outbox };
};

const recipients = (input: Json): readonly string[] => {
  const destination = (input.Destination ?? {}) as Readonly<Record<string, readonly string[] | undefined>>;
  return ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap((field) => destination[field] ?? []);
};

/** `Someone <a@b>` → `a@b` */
const addressOf = (mailbox: string): string => (/<([^>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim();
