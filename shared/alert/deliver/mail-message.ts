import { alertMailsPerOutsider, alertMailsToOutsiders } from '../../contract/limits.ts';
import { isWithinAlertLimit, type OrganizationRecord } from '../../organization/index.ts';
import { type Clock, env, isTransientAwsError, type Letter, log, sendMail } from '../../platform/index.ts';
import type { AlertOutcome } from './alert-outcome.ts';
import type { AlertRecipient } from './alert-recipients.ts';

interface Mailing {
  readonly organization: Pick<OrganizationRecord, 'id' | 'ownerId'>;
  readonly recipients: readonly AlertRecipient[];
  /** Addresses that have got it in an earlier attempt. */
  readonly sentTo: readonly string[];
  readonly letter: Letter;
  /** Whether a person requested it, without an incident. */
  readonly isTest: boolean;
  readonly clock: Clock;
}

/** Sends an e-mail to each recipient apart, so that they do not see each other. An address that fails delays no other. */
export const mailMessage = async (mailing: Mailing): Promise<AlertOutcome> => {
  const { recipients, sentTo, clock } = mailing;
  const startedMs = clock.now().getTime();
  const results: MailResult[] = [];
  const end = (kind: AlertOutcome['kind'], error: string | null, done: readonly string[]): AlertOutcome => ({
    kind,
    error,
    statusCode: null,
    durationMs: clock.now().getTime() - startedMs,
    stored: {
      response: recipients.length > 0 ? `Sent to ${done.length} of ${addresses(recipients.length)}` : null,
      sentTo: done,
    },
  });
  if (env('MAIL_FROM') === '')
    return end('rejected', 'This deployment sends no e-mails: it has no sender address (mailFrom)', []);
  for (const recipient of recipients)
    results.push(sentTo.includes(recipient.email) ? { kind: 'sent' } : await mailTo(recipient, mailing));
  const done = recipients.filter((_, n) => results[n]?.kind === 'sent').map(({ email }) => email);
  const retried = results.find(({ kind }) => kind === 'retry');
  if (retried) return end('retry', retried.error ?? null, done);
  const refused = results.find(({ kind }) => kind === 'refused');
  return refused && done.length === 0 ? end('rejected', refused.error ?? null, done) : end('delivered', null, done);
};

interface MailResult {
  readonly kind: 'sent' | 'retry' | 'refused';
  readonly error?: string;
}

const outsideLimit = `An address outside the organization gets at most ${alertMailsPerOutsider} messages a day, and all such addresses together ${alertMailsToOutsiders}`;

const mailTo = async (
  { email, isMember }: AlertRecipient,
  { organization, letter, isTest, clock }: Pick<Mailing, 'organization' | 'letter' | 'isTest' | 'clock'>,
): Promise<MailResult> => {
  if (!isMember && !(await isWithinAlertLimit(organization, { email, isTest }, clock.now())))
    return { kind: 'refused', error: outsideLimit };
  try {
    await sendMail(email, letter);
    return { kind: 'sent' };
  } catch (error) {
    log.warn('e-mail of an alert not sent', { error });
    return isTransientAwsError(error)
      ? { kind: 'retry', error: 'The e-mail could not be sent' }
      : { kind: 'refused', error: 'The e-mail was refused' };
  }
};

const addresses = (count: number): string => (count === 1 ? '1 address' : `${count} addresses`);
