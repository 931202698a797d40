import { errorOf } from '../../delivery/index.ts';
import { envList, type postGuarded, type Tenant } from '../../platform/index.ts';
import { type AlertMessage, type AlertWebChannel, classifyAlertAnswer, composeAlert } from '../message/index.ts';
import { openTarget } from '../model/alert-secrets.ts';
import type { AlertRecord } from '../model/record.ts';
import type { AlertOutcome } from './alert-outcome.ts';

/** Providers answer within a second. A test waits for it within the API call, which has 20 s. */
export const postTimeoutMs = 15_000;

/** Sends a message to a chat or PagerDuty, once. */
export const postMessage = async (
  tenant: Tenant,
  { alert, message, post }: { readonly alert: AlertRecord; readonly message: AlertMessage; readonly post: typeof postGuarded },
): Promise<AlertOutcome> => {
  const channel = alert.channel as AlertWebChannel;
  const request = composeAlert(channel, await openTarget(tenant, alert), message);
  const sent = await post({ ...request, timeoutMs: postTimeoutMs, trusted: envList('WEBHOOK_HOSTS'), keepsResponse: true });
  const { durationMs } = sent;
  if (sent.kind === 'failed')
    return { kind: 'retry', error: errorOf(sent, postTimeoutMs), statusCode: null, durationMs, stored: { response: null } };
  const { status: statusCode, response: { headers, body } = { headers: {}, body: '' } } = sent;
  const { outcome: kind, reason, retryAfterSeconds } = classifyAlertAnswer(channel, { status: statusCode, headers, body });
  return {
    kind,
    error: kind === 'delivered' ? null : reason,
    statusCode,
    durationMs,
    retryAfter: retryAfterSeconds?.toString(),
    stored: { response: reason },
  };
};
