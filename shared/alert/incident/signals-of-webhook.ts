/** What the state of a webhook says about its incidents. */
import { webhookIncidentAfterFailures, webhookIncidentAfterSeconds } from '../../contract/limits.ts';
import type { HealthRecord } from '../../delivery/index.ts';
import { after, iso } from '../../platform/index.ts';
import type { WebhookRecord } from '../../webhook/index.ts';
import type { FailureSignal, RecoverySignal, Signal } from './signal.ts';

interface WebhookState {
  readonly webhook: WebhookRecord | undefined;
  readonly health: HealthRecord | undefined;
}

/**
 * A webhook that the service has disabled stays an incident of both kinds until a person enables it. A failure that is too young to be
 * reported says nothing.
 */
export const signalsOfWebhook = (webhookId: string, { webhook, health }: WebhookState, now: Date): readonly Signal[] => {
  const over = (kind: RecoverySignal['kind'], message: string): Signal => ({
    state: 'recovered',
    kind,
    subjectId: webhookId,
    at: iso(now),
    message,
  });
  if (!webhook) {
    const message = 'The webhook was deleted';
    return [over('webhook_failing', message), over('webhook_disabled', message)];
  }
  const { name, enabled, disabled } = webhook;
  if (!enabled) return disabled ? [disabledSignal(webhook, disabled)] : [over('webhook_failing', `Webhook ${name} was disabled`)];
  const enabledAgain = over('webhook_disabled', `Webhook ${name} was enabled`);
  if (health?.failingSince === undefined)
    return [enabledAgain, over('webhook_failing', `Webhook ${name} works again, or was changed`)];
  const failing = failingSignal(webhook, health.failingSince, { count: health.failureCount ?? 1, now });
  return failing ? [enabledAgain, failing] : [enabledAgain];
};

const about = ({ id, name }: WebhookRecord) =>
  ({
    state: 'failed',
    subject: { type: 'webhook', id, name },
    project: null,
    facts: [{ name: 'Webhook', value: name }],
    page: `/webhooks/${id}`,
  }) as const;

const disabledSignal = (webhook: WebhookRecord, { at, reason }: NonNullable<WebhookRecord['disabled']>): FailureSignal => ({
  ...about(webhook),
  kind: 'webhook_disabled',
  at,
  source: `${webhook.id} ${at}`,
  message:
    reason === 'gone'
      ? `Webhook ${webhook.name} was disabled, because its endpoint answered 410`
      : `Webhook ${webhook.name} was disabled, because all its deliveries failed for days`,
});

const dayMs = 24 * 3_600_000;

/** Counted once a day, so that a reminder follows while it fails. */
const failingSignal = (
  webhook: WebhookRecord,
  since: string,
  { count, now }: { readonly count: number; readonly now: Date },
): FailureSignal | undefined => {
  if (count < webhookIncidentAfterFailures && since > iso(after(now, -webhookIncidentAfterSeconds))) return undefined;
  const day = Math.floor((now.getTime() - Date.parse(since)) / dayMs);
  const attempts = count === 1 ? 'The last attempt' : `The last ${count} attempts`;
  return {
    ...about(webhook),
    kind: 'webhook_failing',
    at: day === 0 ? since : iso(now),
    source: `${webhook.id} ${since} ${day}`,
    message: `${attempts} to deliver to webhook ${webhook.name} failed, since ${since}`,
  };
};
