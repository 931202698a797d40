/** One attempt of one message: prepare, lease, send, record. */
import { type Clock, log, type Tenant } from '../../platform/index.ts';
import { leaseAttempt } from '../../webhook/index.ts';
import { type AlertAttempt, queueAlertAttempt } from '../model/alert-attempt.ts';
import type { AlertOutcome } from './alert-outcome.ts';
import { type DueAlertAttempt, prepareAlertAttempt } from './prepare-alert-attempt.ts';
import { abandonMessage, recordAlertAttempt } from './record-alert-attempt.ts';

/** The longest that one attempt can take: a request has 15 s, an e-mail to 20 addresses a few seconds. */
const leaseSeconds = 45;

interface AttemptRun {
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: (due: DueAlertAttempt) => Promise<AlertOutcome>;
}

/**
 * Makes the attempt that a task names, if it is due. Every attempt is leased, so that a task that the queue delivers twice is sent
 * once. If the worker crashes, the task is delivered again and repeats the attempt under the same id.
 */
export const runAlertAttempt = async (tenant: Tenant, ref: AlertAttempt, { clock, random, send }: AttemptRun): Promise<void> => {
  const { alertId, deliveryId, attempt } = ref;
  const prepared = await prepareAlertAttempt(tenant, ref, clock.now());
  if (prepared.kind === 'skip') return log.info('attempt skipped', { alertId, deliveryId, attempt, reason: prepared.reason });
  if (prepared.kind === 'abandon') return abandonMessage(prepared.delivery, prepared.error);
  const later = (channel: DueAlertAttempt['alert']['channel'], delaySeconds: number): Promise<void> =>
    queueAlertAttempt(tenant, channel, { alertId, deliveryId, attempt }, { delaySeconds, now: clock.now() });
  if (prepared.kind === 'wait') return later(prepared.channel, prepared.seconds);
  if (!(await leaseAttempt(prepared.delivery, leaseSeconds, clock.now()))) return later(prepared.alert.channel, leaseSeconds);
  const sentAt = clock.now();
  const outcome = await send(prepared);
  log.info('attempt sent', { alertId, deliveryId, attempt, outcome: outcome.kind, durationMs: outcome.durationMs });
  await recordAlertAttempt(tenant, { due: prepared, outcome, sentAt }, clock.now(), random());
};
