/** One attempt of one message: whether it is due and still wanted, and its sending. */
import { abandonDelivery, decideAttempt, loadRecorded, makeAttempt, secondsUntil } from '../../delivery/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { type Clock, get, getAll, log, type Tenant } from '../../platform/index.ts';
import { type AlertAttempt, queueAlertAttempt } from '../model/alert-attempt.ts';
import { type AlertDeliveryRecord, type AlertRecord, alertKey } from '../model/record.ts';
import { alertDeliveries } from './alert-deliveries.ts';
import type { AlertOutcome } from './alert-outcome.ts';

/** The longest that one attempt can take: a request has 15 s, an e-mail to 20 addresses a few seconds. */
const leaseSeconds = 45;
/** Between two looks at the message that must arrive first. */
const followSecondsMin = 5;

export interface DueMessage {
  readonly organization: OrganizationRecord;
  readonly alert: AlertRecord;
  readonly delivery: AlertDeliveryRecord;
}

interface AttemptRun {
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: (due: DueMessage) => Promise<AlertOutcome>;
}

/**
 * Makes the attempt that a task names, if it is due. Every attempt is leased, so that a task that the queue delivers twice is sent
 * once. If the worker crashes, the task is delivered again and repeats the attempt under the same id.
 */
export const runAlertAttempt = async (tenant: Tenant, ref: AlertAttempt, { clock, random, send }: AttemptRun): Promise<void> => {
  const { alertId, deliveryId, attempt } = ref;
  const state = await loadRecorded(() => loadState(tenant, ref), ref);
  const decided = decide(state, ref, clock.now());
  if (decided.kind === 'skip') return log.info('attempt skipped', { alertId, deliveryId, attempt, reason: decided.reason });
  if (decided.kind === 'abandon') return abandonDelivery(alertDeliveries, decided.delivery, decided.error);
  const later = (delaySeconds: number): Promise<void> => queueAlertAttempt(tenant, ref, { delaySeconds, now: clock.now() });
  if (decided.kind === 'wait') return later(decided.seconds);
  const { endpoint: alert, delivery } = decided;
  const { organization } = state;
  if (!organization || organization.deletedAt) return abandonDelivery(alertDeliveries, delivery, 'The organization was deleted');
  const verdict = await makeAttempt(
    tenant,
    {
      kind: alertDeliveries,
      due: decided,
      sentAt: clock.now(),
      leaseSeconds,
      send: () => send({ organization, alert, delivery }),
    },
    { clock, random },
  );
  if (!verdict) await later(leaseSeconds);
};

const loadState = async (tenant: Tenant, { alertId, deliveryId }: AlertAttempt) => {
  const [organization, endpoint, delivery, health] = await getAll([
    organizationKey.organization(tenant),
    alertKey.alert(tenant, alertId),
    alertKey.delivery(tenant, alertId, deliveryId),
    alertKey.health(tenant, alertId),
  ]);
  // The message that must have ended before.
  const earlier = delivery?.follows === undefined ? undefined : await get(alertKey.delivery(tenant, alertId, delivery.follows));
  return { organization, endpoint, delivery, health, earlier };
};

/** A recovery that overtakes its opening would open the incident again, and one without an opening says nothing. */
const decide = ({ earlier, ...state }: Awaited<ReturnType<typeof loadState>>, ref: AlertAttempt, now: Date) =>
  decideAttempt(state, ref, {
    now,
    kind: alertDeliveries,
    objection: () => {
      if (earlier?.status === 'failed') return 'The message about the incident itself was not delivered';
      if (earlier?.status !== 'attempting') return undefined;
      return { kind: 'wait', seconds: Math.max(secondsUntil(earlier.nextAttemptAt, now), followSecondsMin) };
    },
  });
