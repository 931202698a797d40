/** Makes one attempt per task to send a message to a chat or PagerDuty, concurrently. A failed task is retried alone. */
import { deliverAlert } from '../../shared/alert/index.ts';
import { consumeQueue } from '../../shared/event/index.ts';
import { unsafeTenant } from '../../shared/platform/index.ts';

export const handler = consumeQueue(
  async ({ organizationId, task }) => {
    if (task.kind !== 'deliver-alert') throw new Error(`unexpected task "${task.kind}" on the alert delivery queue`);
    await deliverAlert(unsafeTenant(organizationId, 'record'), task);
  },
  { dropsUnknown: false },
);
