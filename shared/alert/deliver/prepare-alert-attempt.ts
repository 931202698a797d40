/** Decides whether an attempt of a message is due. */
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { epochSeconds, get, getAll, iso, type Tenant } from '../../platform/index.ts';
import type { AlertAttempt } from '../model/alert-attempt.ts';
import { type AlertDeliveryRecord, type AlertHealth, type AlertRecord, alertKey } from '../model/record.ts';

export interface DueAlertAttempt {
  readonly kind: 'send';
  readonly organization: OrganizationRecord;
  readonly alert: AlertRecord;
  readonly delivery: AlertDeliveryRecord;
  readonly health: AlertHealth | undefined;
  readonly attempt: number;
  readonly willRetry: boolean;
}

export type PreparedAlertAttempt =
  | DueAlertAttempt
  /** The attempt was made already, or the message has ended or expired. */
  | { readonly kind: 'skip'; readonly reason: string }
  /** Not due yet, leased by another worker, or behind a message that must arrive first. */
  | { readonly kind: 'wait'; readonly seconds: number; readonly channel: AlertRecord['channel'] }
  /** The message is no longer wanted. */
  | { readonly kind: 'abandon'; readonly delivery: AlertDeliveryRecord; readonly error: string };

interface AttemptState {
  readonly organization: OrganizationRecord | undefined;
  readonly alert: AlertRecord | undefined;
  readonly delivery: AlertDeliveryRecord | undefined;
  readonly health: AlertHealth | undefined;
  /** The message that must have ended before. */
  readonly earlier: AlertDeliveryRecord | undefined;
}

export const prepareAlertAttempt = async (tenant: Tenant, ref: AlertAttempt, now: Date): Promise<PreparedAlertAttempt> => {
  const { alertId, deliveryId } = ref;
  const [organization, alert, delivery, health] = await getAll([
    organizationKey.organization(tenant),
    alertKey.alert(tenant, alertId),
    alertKey.delivery(tenant, alertId, deliveryId),
    alertKey.health(tenant, alertId),
  ]);
  const earlier = delivery?.follows === undefined ? undefined : await get(alertKey.delivery(tenant, alertId, delivery.follows));
  return decideAlertAttempt({ organization, alert, delivery, health, earlier }, ref, now);
};

/** The largest clock skew between two workers. */
const clockSkewSeconds = 5;
/** Between two looks at the message that must arrive first. */
const followSecondsMin = 5;

export const decideAlertAttempt = (
  { organization, alert, delivery, health, earlier }: AttemptState,
  ref: AlertAttempt,
  now: Date,
): PreparedAlertAttempt => {
  if (!delivery || delivery.ttl <= epochSeconds(now)) return { kind: 'skip', reason: 'the message has expired' };
  if (delivery.status !== 'attempting') return { kind: 'skip', reason: 'the message has ended' };
  if (ref.attempt <= delivery.attempts) return { kind: 'skip', reason: 'the attempt was made already' };
  if (!alert) return { kind: 'abandon', delivery, error: 'The alert was deleted' };
  if (!organization || organization.deletedAt) return { kind: 'abandon', delivery, error: 'The organization was deleted' };
  if (!alert.enabled) return { kind: 'abandon', delivery, error: 'The alert is disabled' };
  const seconds = Math.max(secondsUntil(ref.notBefore, now), 0);
  if (seconds > clockSkewSeconds) return { kind: 'wait', seconds, channel: alert.channel };
  const leasedSeconds = secondsUntil(delivery.claimedUntil, now);
  if (leasedSeconds > 0) return { kind: 'wait', seconds: leasedSeconds, channel: alert.channel };
  // A recovery that overtakes its opening would open the incident again, and one without an opening says nothing.
  if (earlier?.status === 'attempting')
    return {
      kind: 'wait',
      seconds: Math.max(secondsUntil(earlier.nextAttemptAt, now), followSecondsMin),
      channel: alert.channel,
    };
  if (earlier?.status === 'failed')
    return { kind: 'abandon', delivery, error: 'The message about the incident itself was not delivered' };
  const attempt = delivery.attempts + 1;
  return { kind: 'send', organization, alert, delivery, health, attempt, willRetry: attempt < delivery.attemptsMax };
};

const secondsUntil = (moment: string | null | undefined, now: Date): number =>
  (Date.parse(moment ?? iso(now)) - now.getTime()) / 1_000;
