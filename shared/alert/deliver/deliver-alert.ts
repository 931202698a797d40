import { type Clock, clock, postGuarded, randomFraction, type Tenant } from '../../platform/index.ts';
import type { AlertAttempt } from '../model/alert-attempt.ts';
import { postMessage } from './post-message.ts';
import { runAlertAttempt } from './run-alert-attempt.ts';

export interface DeliverAlertDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly post: typeof postGuarded;
}

/** Makes one attempt to send a message to a chat or PagerDuty. */
export const deliverAlert = (
  tenant: Tenant,
  ref: AlertAttempt,
  deps: DeliverAlertDeps = { clock, random: randomFraction, post: postGuarded },
): Promise<void> =>
  runAlertAttempt(tenant, ref, {
    ...deps,
    send: ({ alert, delivery: { message } }) => {
      if (!message) throw new Error('a digest is sent by e-mail only');
      return postMessage(tenant, { alert, message, post: deps.post });
    },
  });
