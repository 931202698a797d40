/**
 * Makes one attempt per message of either delivery queue, concurrently, so that a hanging endpoint delays no other. A failed
 * message is retried alone, then dead-lettered.
 */
import { consumeQueue } from '../../shared/event/index.ts';
import { unsafeTenant } from '../../shared/platform/index.ts';
import { deliver, deliveryQueueNamed } from '../../shared/webhook/index.ts';

export const handler = consumeQueue(
  async ({ organizationId, task }, queueName) => {
    if (task.kind !== 'deliver') throw new Error(`unexpected task "${task.kind}" on a delivery queue`);
    await deliver(unsafeTenant(organizationId, 'record'), { ref: task, queue: deliveryQueueNamed(queueName) });
  },
  { dropsUnknown: false },
);
