/** Sends the steps of a sequence one after the other: those before the step of a message, that step, and those that follow it. */
import { abandonDelivery, secondsUntil, updateUnlessRecorded, type Verdict } from '../../delivery/index.ts';
import { after, get, iso, log, type Tenant, updateItem } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, requeueLater } from '../model/delivery-queues.ts';
import {
  deliveredIn,
  enterSequence,
  isBeingCreated,
  isEnd,
  isOvertaken,
  lacksPredecessor,
  rank,
  type SequenceRecord,
  type SequenceStep,
  type Step,
  sequenceStepOf,
  stepsIn,
} from '../model/progress-sequence.ts';
import type { WebhookDeliveryRecord } from '../model/record.ts';
import { type DueDelivery, prepareNext } from './prepare-attempt.ts';
import { composeAttempt, type DeliveryDeps, leaseSeconds, sendAttempt } from './send-attempt.ts';
import { leaseSequence, leaveSequence, releaseSequence } from './sequence-lease.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';

/** What a message asks for. */
interface OrderedAttempt {
  readonly ref: AttemptRef;
  readonly step: SequenceStep;
  readonly due: DueDelivery;
  readonly queue: DeliveryQueue;
}

/** No further step begins after this time, so that the longest request fits into the worker's. */
const beginSeconds = 5;
/** How long the end of a job waits for steps that an endpoint is slow to accept, before it overtakes them. */
const endWaitSeconds = 60;
const requeueMaxSeconds = 10;

/** The message of a step that was not sent is requeued. One that another message's run has sent finds its attempt made. */
export const deliverInOrder = async (tenant: Tenant, asked: OrderedAttempt, deps: DeliveryDeps): Promise<void> => {
  const { ref, step: own, due } = asked;
  const until = iso(after(deps.clock.now(), beginSeconds));
  const handled = new Set<string>();
  let sequence = await readSequence(asked, deps);
  while (iso(deps.clock.now()) <= until) {
    const step = orderOf(sequence, asked, deps.clock.now()).find(({ deliveryId }) => !handled.has(deliveryId));
    if (!step || !(await handleStep(tenant, { asked, sequence, step }, deps))) break;
    handled.add(step.deliveryId);
    sequence = await readSequence(asked, deps);
  }
  if (!handled.has(own.deliveryId)) await requeueLater(tenant, ref, requeueSeconds(sequence, due, deps.clock.now()));
};

/** The sequence of a delivery of an earlier version does not exist yet. */
const readSequence = async ({ step, due }: OrderedAttempt, deps: DeliveryDeps): Promise<SequenceRecord> => {
  const sequence = await get(step.sequence);
  if (sequence) return sequence;
  await enterSequence(due.delivery, due.endpoint, deps.clock.now());
  return { ...step.sequence, ttl: 0, ...(await get(step.sequence)) };
};

const orderOf = (sequence: SequenceRecord, { step: own, due }: OrderedAttempt, now: Date): readonly Step[] => {
  const others = stepsIn(sequence).filter(({ deliveryId }) => deliveryId !== own.deliveryId);
  const isImpatient = isEnd(own) && iso(after(new Date(due.delivery.createdAt), endWaitSeconds)) <= iso(now);
  return isImpatient ? [own, ...others] : [...others, own].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
};

/** A sequence that has been busy for long is asked again less often. */
const requeueSeconds = ({ claimedUntil }: SequenceRecord, { endpoint }: DueDelivery, now: Date): number => {
  const leftSeconds = secondsUntil(claimedUntil, now);
  const busySeconds = leftSeconds > 0 ? Math.ceil(leaseSeconds(endpoint) - leftSeconds) : 0;
  return Math.min(Math.max(busySeconds, 1), requeueMaxSeconds);
};

interface StepContext {
  readonly asked: OrderedAttempt;
  readonly sequence: SequenceRecord;
  readonly step: Step;
}

/** False if neither this step nor one after it can be sent now. */
const handleStep = async (tenant: Tenant, context: StepContext, deps: DeliveryDeps): Promise<boolean> => {
  const { asked, sequence, step } = context;
  const { step: own, ref, queue } = asked;
  const isOwn = step.deliveryId === own.deliveryId;
  const now = deps.clock.now();
  const prepared = await prepareNext(tenant, { webhookId: ref.webhookId, deliveryId: step.deliveryId }, { queue, now });
  // Not due: its own message sends it.
  if (prepared.kind === 'wait') return !isOwn;
  if (prepared.kind === 'skip' && prepared.isAbsent && isBeingCreated(step, sequence, now)) return false;
  if (prepared.kind === 'send' && !isOvertaken(step, deliveredIn(sequence, now)))
    return sendStep(tenant, { context, due: prepared, deps });
  if (prepared.kind === 'send') await skipDelivery(prepared.delivery);
  if (prepared.kind === 'abandon') await abandonDelivery(webhookDeliveries, prepared.delivery, prepared.error);
  await leaveSequence(own.sequence, step);
  return true;
};

/** Ends a step of a job whose later one was delivered first. */
const skipDelivery = async (delivery: WebhookDeliveryRecord): Promise<void> => {
  const { webhookId, id: deliveryId } = delivery;
  const lastError = 'not sent: a later step of the job was delivered before';
  const isOurs = await updateItem(updateUnlessRecorded(delivery, { status: 'skipped', lastError, nextAttemptAt: null }));
  if (isOurs) log.info('delivery skipped: a later step was delivered', { webhookId, deliveryId });
};

const sendStep = async (
  tenant: Tenant,
  {
    context: { asked, sequence, step },
    due,
    deps,
  }: { readonly context: StepContext; readonly due: DueDelivery; readonly deps: DeliveryDeps },
): Promise<boolean> => {
  const { delivery, endpoint: webhook } = due;
  const now = deps.clock.now();
  const inSequence = sequenceStepOf(delivery, webhook);
  if (inSequence && lacksPredecessor(inSequence, sequence, { createdAt: delivery.createdAt, now })) return false;
  const composed = await composeAttempt(tenant, due, now);
  const lease = await leaseSequence(sequence, { step, seconds: leaseSeconds(webhook), now });
  if (!lease) return false;
  const verdict = await sendAttempt(tenant, { due, composed, queue: asked.queue }, deps);
  await releaseSequence(lease, outcomeOf(verdict));
  return verdict !== undefined;
};

const outcomeOf = (verdict: Verdict | undefined): Parameters<typeof releaseSequence>[1] => {
  if (verdict?.kind === 'delivered') return 'delivered';
  return verdict?.kind === 'failed' ? 'ended' : 'waiting';
};
