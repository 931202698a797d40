/** What a message of a delivery queue asks for: one attempt of one delivery, if it is due. */
import { abandonDelivery } from '../../delivery/index.ts';
import { clock, log, postGuarded, randomFraction, type Tenant } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, requeueLater } from '../model/delivery-queues.ts';
import { sequenceStepOf } from '../model/progress-sequence.ts';
import { deliverInOrder } from './deliver-in-order.ts';
import { prepareAttempt } from './prepare-attempt.ts';
import { composeAttempt, type DeliveryDeps, leaseSeconds, sendAttempt } from './send-attempt.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';

/**
 * Makes the attempt that a message names, if it is due. The next attempt is scheduled before this one is recorded. If the
 * worker crashes in between, the message is delivered again and repeats the same attempt, under the same number and id.
 */
export const deliver = async (
  tenant: Tenant,
  {
    ref,
    queue,
    deps = { clock, random: randomFraction, post: postGuarded },
  }: { readonly ref: AttemptRef; readonly queue: DeliveryQueue; readonly deps?: DeliveryDeps | undefined },
): Promise<void> => {
  const { webhookId, deliveryId } = ref;
  const prepared = await prepareAttempt(tenant, ref, { queue, now: deps.clock.now(), waitMs: deps.waitMs });
  if (prepared.kind === 'skip')
    return log.info('attempt skipped', { webhookId, deliveryId, attempt: ref.attempt, reason: prepared.reason });
  if (prepared.kind === 'wait') return requeueLater(tenant, ref, prepared.seconds);
  if (prepared.kind === 'abandon') return abandonDelivery(webhookDeliveries, prepared.delivery, prepared.error);
  const step = sequenceStepOf(prepared.delivery, prepared.endpoint);
  if (step) return deliverInOrder(tenant, { ref, step, due: prepared, queue }, deps);
  const composed = await composeAttempt(tenant, prepared, deps.clock.now());
  const verdict = await sendAttempt(tenant, { due: prepared, composed, queue }, deps);
  if (!verdict) await requeueLater(tenant, ref, leaseSeconds(prepared.endpoint));
};
