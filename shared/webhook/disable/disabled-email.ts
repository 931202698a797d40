/** The e-mail that reports a disabled webhook. Of the URL only the host is shown. */
import { endpointDisabledAfterSeconds } from '../../contract/limits.ts';
import { composeLetter, type Letter, utcMinute } from '../../platform/index.ts';
import { hostOf } from '../api/create-webhook.ts';

interface DisabledWebhook {
  readonly organizationName: string;
  readonly webhookName: string;
  readonly url: string;
  readonly reason: 'gone' | 'failing';
  readonly at: string;
  readonly failingSince: string;
  /** Whether the organization's hourly limit allows no more e-mails. */
  readonly isLast: boolean;
}

const days = endpointDisabledAfterSeconds / (24 * 3_600);

const limitNotice =
  'You will receive no more of these e-mails within this hour. The audit log lists every disabled webhook (GET /api/v1/audit-logs?action=webhook.disabled).';

export const disabledEmail = (webhook: DisabledWebhook): Letter => {
  const { organizationName, webhookName, url, reason, at, failingSince, isLast } = webhook;
  // The path or the query may contain a token.
  const host = hostOf(url);
  const why =
    reason === 'gone'
      ? `${host} responded with 410 Gone, which means that the endpoint no longer exists.`
      : `Every delivery to ${host} since ${utcMinute(failingSince)} has failed, for more than ${days} days.`;
  const consequence = 'No more events are sent to it. Events are kept for 30 days.';
  const remedy =
    'Once the endpoint works again, enable the webhook (PATCH /api/v1/webhooks/{id}/toggle) and replay the events it missed (POST /api/v1/webhooks/{id}/replay). If you no longer need it, delete it.';
  return composeLetter(`Webhook disabled: ${webhookName} (${organizationName})`, [
    [
      'The webhook ',
      { name: webhookName },
      ' of the organization ',
      { name: organizationName },
      ` was disabled on ${utcMinute(at)}.`,
    ],
    why,
    consequence,
    remedy,
    ...(isLast ? [limitNotice] : []),
  ]);
};
