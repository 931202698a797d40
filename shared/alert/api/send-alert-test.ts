import type * as z from 'zod/mini';
import { auditNote } from '../../audit/index.ts';
import type { AlertTest } from '../../contract/models/alert.ts';
import { endedAfter } from '../../delivery/index.ts';
import { type CallerContext, organizationRef, whileActive } from '../../organization/index.ts';
import { type Change, type Clock, clock, create, iso, newId, postGuarded, type Tenant } from '../../platform/index.ts';
import type { AlertOutcome } from '../deliver/alert-outcome.ts';
import { type AlertRecipient, alertRecipients } from '../deliver/alert-recipients.ts';
import { mailMessage } from '../deliver/mail-message.ts';
import { postMessage } from '../deliver/post-message.ts';
import { consoleLink } from '../incident/message-of-incident.ts';
import { type AlertMessage, alertEmail } from '../message/index.ts';
import { newAlertDelivery } from '../model/new-alert-delivery.ts';
import type { AlertDeliveryRecord, AlertRecord } from '../model/record.ts';

interface TestDeps {
  readonly post: typeof postGuarded;
  readonly clock: Clock;
}

/**
 * Sends a test message at once, even if the alert is disabled. It is attempted once, counts towards no limit of the alert and does not
 * affect its health.
 */
export const sendAlertTest = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  {
    alert,
    now,
    deps = { post: postGuarded, clock },
  }: { readonly alert: AlertRecord; readonly now: Date; readonly deps?: TestDeps | undefined },
): Promise<{ data: z.input<typeof AlertTest>; change: Change }> => {
  const id = newId('delivery', now);
  const message = testMessage(alert, { id, organization: organizationRef(organization), now });
  const recipients = alert.channel === 'email' ? await alertRecipients(tenant, alert, organization) : undefined;
  const outcome = recipients
    ? await mailMessage({ organization, recipients, sentTo: [], letter: alertEmail(message), isTest: true, clock: deps.clock })
    : await postMessage(tenant, { alert, message, post: deps.post });
  return {
    data: testData(alert, { deliveryId: id, outcome, recipients }),
    change: {
      writes: [create(endedTest(tenant, { id, alertId: alert.id, message, outcome }, now)), whileActive(tenant)],
      audit: [
        auditNote(tenant, {
          type: 'alert',
          id: alert.id,
          details: { name: alert.name, channel: alert.channel, success: outcome.kind === 'delivered' },
        }),
      ],
    },
  };
};

const testMessage = (
  { name }: AlertRecord,
  {
    id,
    organization,
    now,
  }: { readonly id: string; readonly organization: { readonly id: string; readonly name: string }; readonly now: Date },
): AlertMessage => ({
  incidentId: id,
  state: 'test',
  kind: 'test',
  severity: 'info',
  title: name,
  text: `The alert ${name} works: incidents of ${organization.name} are reported here.`,
  facts: [],
  organization,
  link: consoleLink('/alerts'),
  openedAt: iso(now),
  count: 1,
});

const testData = (
  { id: alertId, name: alertName, channel }: AlertRecord,
  {
    deliveryId,
    outcome: {
      kind,
      error,
      statusCode,
      durationMs: duration,
      stored: { response },
    },
    recipients,
  }: { readonly deliveryId: string; readonly outcome: AlertOutcome; readonly recipients: readonly AlertRecipient[] | undefined },
): z.input<typeof AlertTest> => ({
  alertId,
  alertName,
  channel,
  success: kind === 'delivered',
  statusCode,
  response,
  ...(error !== null && { error }),
  recipients: recipients?.map(({ email }) => email) ?? null,
  duration,
  deliveryId,
});

interface EndedTest {
  readonly id: string;
  readonly alertId: string;
  readonly message: AlertMessage;
  readonly outcome: AlertOutcome;
}

/** A test is kept like other messages, and has ended. */
const endedTest = (tenant: Tenant, { outcome, message, ...ids }: EndedTest, now: Date): AlertDeliveryRecord => ({
  ...newAlertDelivery(tenant, { ...ids, state: 'test', title: message.title, message }, now),
  ...endedAfter(outcome, now),
});
