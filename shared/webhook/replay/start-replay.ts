/** Asking that the events of a time range are sent to a webhook again. */

import { spanOf } from '../../audit/index.ts';
import type { replayStatuses } from '../../contract/models/webhook-enums.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import { type Change, iso, newUlid, type Tenant } from '../../platform/index.ts';
import { about } from '../api/create-webhook.ts';
import { webhookDisabledError, whileEnabled } from '../api/retry-delivery.ts';
import { isInProgress } from '../deliver/attempt-round.ts';
import type { DeliveryRecord, WebhookRecord } from '../model/record.ts';
import { checkEvents } from '../model/subscription.ts';
import { acquireReplayLock } from './replay-lock.ts';

export type ReplayTask = Extract<Task, { kind: 'replay-webhook' }>;
export type ReplayStatus = (typeof replayStatuses)[number];

export interface ReplayInput {
  /** A date or a date-time, both inclusive; a bare date is its whole day, UTC. */
  readonly from: string;
  readonly to: string;
  /** What the webhook subscribes to, where nothing is given. */
  readonly events?: readonly string[] | undefined;
  readonly status: ReplayStatus;
}

const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

/** What will be sent again, and the change that has it done, unless a replay of the webhook runs. What is yet to happen is no part of it. */
export const startReplay = (
  tenant: Tenant,
  webhook: WebhookRecord,
  wish: ReplayInput,
  now: Date,
): { replay: Pick<ReplayTask, 'webhookId' | 'from' | 'to' | 'events' | 'status'>; change: Change } => {
  const { start: asked, end } = spanOf(wish);
  const events = wish.events ? checkEvents(wish.events, webhook.format) : webhook.events;
  if (!webhook.enabled) throw webhookDisabledError();
  // With an offset, the ends of the calendar lie outside of what can be written down; nothing happened there.
  const start = new Date(Math.min(Math.max(asked.getTime(), 0), lastMoment));
  const last = new Date(Math.max(start.getTime(), Math.min(end.getTime(), now.getTime())));
  const range = { from: iso(start), to: iso(last), events: [...events], status: wish.status };
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
      audit: [{ ...about(tenant, webhook.id), details: { name: webhook.name, ...range } }],
    },
  };
};

/**
 * What a replay does about an event: makes its delivery, begins another round, sends the message of the round that it has
 * begun itself once more (it may have been lost), or nothing.
 */
export type ReplayAction = 'make' | 'again' | 'resend' | 'nothing';

export const replayAction = (
  delivery: DeliveryRecord | undefined,
  { walk, status }: Pick<ReplayTask, 'walk' | 'status'>,
  now: Date,
): ReplayAction => {
  if (!delivery) return status === 'missing' || status === 'all' ? 'make' : 'nothing';
  const { attempts, roundStart } = delivery;
  if (delivery.replay === walk) return delivery.status === 'attempting' && attempts === roundStart ? 'resend' : 'nothing';
  if (isInProgress(delivery, now)) return 'nothing';
  // One that nobody moves any more has failed, whatever its record says.
  const ended = delivery.status === 'delivered' ? 'delivered' : 'failed';
  return status === 'all' || status === ended ? 'again' : 'nothing';
};
