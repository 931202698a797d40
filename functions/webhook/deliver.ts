/**
 * Makes one attempt for every message, all of a batch side by side: an endpoint that hangs keeps none of the others waiting. The
 * same for both lanes. A message that fails is given again, alone, and after some tries put aside with the dead letters.
 */
import { consumeQueue } from '../../shared/event/index.ts';
import { unsafeTenant } from '../../shared/platform/index.ts';
import { deliver, deliveryQueueNamed } from '../../shared/webhook/index.ts';

export const handler = consumeQueue(
  async ({ organizationId, task }, queueName) => {
    if (task.kind !== 'deliver') throw new Error(`${task.kind} is no delivery, and came by the wrong queue`);
    await deliver(unsafeTenant(organizationId, 'record'), task, deliveryQueueNamed(queueName));
  },
  { dropsUnknown: false },
);
