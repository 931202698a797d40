import { type Clock, clock, env, type Letter, randomFraction, type Tenant } from '../../platform/index.ts';
import { digestEmail, readDigest } from '../digest/index.ts';
import { alertEmail } from '../message/index.ts';
import type { AlertAttempt } from '../model/alert-attempt.ts';
import type { AlertOutcome } from './alert-outcome.ts';
import { type AlertRecipient, alertRecipients } from './alert-recipients.ts';
import { mailMessage } from './mail-message.ts';
import { type DueMessage, runAlertAttempt } from './run-alert-attempt.ts';

export interface SendAlertEmailDeps {
  readonly clock: Clock;
  readonly random: () => number;
}

/** Makes one attempt to send a message by e-mail. */
export const sendAlertEmail = (
  tenant: Tenant,
  ref: AlertAttempt,
  deps: SendAlertEmailDeps = { clock, random: randomFraction },
): Promise<void> => runAlertAttempt(tenant, ref, { ...deps, send: (due) => send(tenant, due, deps.clock) });

const send = async (tenant: Tenant, { organization, alert, delivery }: DueMessage, time: Clock): Promise<AlertOutcome> => {
  const { sentTo = [] } = delivery;
  const all = await alertRecipients(tenant, alert, organization);
  const recipients = all.filter((recipient) => !isInformed(recipient, delivery));
  if (all.length > 0 && recipients.length === 0) return informed;
  const letter = await letterOf(tenant, { organization, delivery, now: time.now() });
  return mailMessage({ organization, recipients, sentTo, letter, isTest: delivery.state === 'test', clock: time });
};

/** A digest is composed when it is sent, so that a repeated attempt says how it is then. */
const letterOf = async (
  tenant: Tenant,
  {
    organization,
    delivery: { id, message, dueAt },
    now,
  }: { readonly organization: DueMessage['organization']; readonly delivery: DueMessage['delivery']; readonly now: Date },
): Promise<Letter> => {
  if (message) return alertEmail(message);
  if (dueAt === undefined) throw new Error(`message ${id} has no content`);
  return digestEmail(
    await readDigest(tenant, { organization, now, dueAt: new Date(dueAt) }),
    organization.name,
    env('CONSOLE_URL'),
  );
};

/** The owner gets an e-mail about every disabled webhook, with or without alerts. */
const isInformed = ({ isOwner }: AlertRecipient, { kind, state }: DueMessage['delivery']): boolean =>
  isOwner && kind === 'webhook_disabled' && state === 'open';

const informed: AlertOutcome = {
  kind: 'delivered',
  error: null,
  statusCode: null,
  durationMs: 0,
  stored: { response: 'The owner got the e-mail about the disabled webhook' },
};
