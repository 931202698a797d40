import { auditNote, spanOf } from '../../audit/index.ts';
import type { replayStatuses } from '../../contract/models/webhook-enums.ts';
import { isInProgress } from '../../delivery/index.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import { type Change, iso, newUlid, type Tenant } from '../../platform/index.ts';
import { webhookDisabledError, whileEnabled } from '../api/retry-delivery.ts';
import type { WebhookDeliveryRecord, WebhookRecord } from '../model/record.ts';
import { checkEvents } from '../model/subscription.ts';
import { acquireReplayLock } from './replay-lock.ts';

export type ReplayTask = Extract<Task, { kind: 'replay-webhook' }>;
type ReplayStatus = (typeof replayStatuses)[number];

interface ReplayInput {
  /** A date or a date-time, both inclusive. A bare date is the whole day in UTC. */
  readonly from: string;
  readonly to: string;
  /** Default: the webhook's own subscriptions. */
  readonly events?: readonly string[] | undefined;
  readonly status: ReplayStatus;
}

const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/** Starts a replay of the events of a time range, up to now, unless a replay of the webhook is running. */
export const startReplay = (
  tenant: Tenant,
  { webhook, input, now }: { readonly webhook: WebhookRecord; readonly input: ReplayInput; readonly now: Date },
): { replay: Pick<ReplayTask, 'webhookId' | 'from' | 'to' | 'events' | 'status'>; change: Change } => {
  const { start: from, end } = spanOf(input);
  const events = input.events ? checkEvents(input.events, webhook.format) : webhook.events;
  if (!webhook.enabled) throw webhookDisabledError();
  // With a UTC offset, the first and last days of the calendar lie outside the range of ISO strings.
  const start = new Date(Math.min(Math.max(from.getTime(), 0), lastMoment));
  const last = new Date(Math.max(start.getTime(), Math.min(end.getTime(), now.getTime())));
  const range = { from: iso(start), to: iso(last), events: [...events], status: input.status };
  const replay = { webhookId: webhook.id, ...range };
  const walk = newUlid(now);
  return {
    replay,
    change: {
      writes: [
        enqueue(tenant, { kind: 'replay-webhook', walk, ...replay }, now),
        acquireReplayLock(tenant, { webhookId: webhook.id, walk }, now),
        whileEnabled(tenant, webhook),
        whileActive(tenant),
      ],
      audit: [auditNote(tenant, { type: 'webhook', id: webhook.id, details: { name: webhook.name, ...range } })],
    },
  };
};

/** `resend`: this replay started the round already, but its message may have been lost. */
type ReplayAction = 'create' | 'newRound' | 'resend' | 'skip';

export const replayAction = (
  delivery: WebhookDeliveryRecord | undefined,
  { walk, status }: Pick<ReplayTask, 'walk' | 'status'>,
  now: Date,
): ReplayAction => {
  if (!delivery) return status === 'missing' || status === 'all' ? 'create' : 'skip';
  const { attempts, roundStart } = delivery;
  if (delivery.replay === walk) return delivery.status === 'attempting' && attempts === roundStart ? 'resend' : 'skip';
  if (isInProgress(delivery, now)) return 'skip';
  // An overdue delivery that still says `attempting` has lost its message, so it has failed.
  const ended = delivery.status === 'attempting' ? 'failed' : delivery.status;
  return status === 'all' || status === ended ? 'newRound' : 'skip';
};
