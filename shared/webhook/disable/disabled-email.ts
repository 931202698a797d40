/** The mail that says that a webhook was disabled. Whatever people typed is escaped; of its address only the host is told. */
import { failingSecondsMax } from '../../contract/limits.ts';
import { escaped, type Letter } from '../../platform/index.ts';
import { hostOf } from '../api/create-webhook.ts';

export interface DisabledWebhook {
  readonly organizationName: string;
  readonly webhookName: string;
  readonly url: string;
  readonly reason: 'gone' | 'failing';
  readonly at: string;
  readonly failingSince: string;
  /** Whether no more is sent in this hour. */
  readonly isLast: boolean;
}

const days = failingSecondsMax / (24 * 3_600);

const lastWords =
  'If more webhooks are disabled within this hour, no mail tells of it: the audit log has all of them (GET /api/v1/audit-logs?action=webhook.disabled).';

export const disabledEmail = (about: DisabledWebhook): Letter => {
  const { organizationName, webhookName, url, reason, at, failingSince, isLast } = about;
  // The path or the query may hold a token.
  const host = hostOf(url);
  const subject = `Webhook disabled: ${webhookName} (${organizationName})`;
  const why =
    reason === 'gone'
      ? `${host} answered 410 Gone, which asks us to send no more.`
      : `Nothing that was sent to ${host} since ${shown(failingSince)} was taken, for more than ${days} days.`;
  const now = 'Nothing more is sent to it. Events are kept for 30 days.';
  const what =
    'When the endpoint works again, enable the webhook (PATCH /api/v1/webhooks/{id}/toggle) and have what it missed sent again (POST /api/v1/webhooks/{id}/replay). If it is no longer needed, remove it.';
  return {
    subject,
    text: [
      `The webhook "${webhookName}" of the organization "${organizationName}" was disabled on ${shown(at)}.`,
      why,
      now,
      what,
      ...(isLast ? [lastWords] : []),
      '',
    ].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body>`,
      `<p>The webhook <b><bdi>${escaped(webhookName)}</bdi></b> of the organization <b><bdi>${escaped(organizationName)}</bdi></b> was disabled on ${escaped(shown(at))}.</p>`,
      `<p>${escaped(why)}</p>`,
      `<p>${escaped(now)}</p>`,
      `<p>${escaped(what)}</p>`,
      ...(isLast ? [`<p>${escaped(lastWords)}</p>`] : []),
      '</body></html>',
      '',
    ].join('\n'),
  };
};

/** '2025-01-08T09:30:00.000Z' → '2025-01-08 09:30 UTC' */
const shown = (moment: string): string => `${moment.slice(0, 16).replace('T', ' ')} UTC`;
