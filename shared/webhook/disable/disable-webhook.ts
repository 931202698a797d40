import { disableEndpoint } from '../../delivery/index.ts';
import type { Task } from '../../event/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { webhookKey } from '../model/record.ts';

type DisableTask = Omit<Extract<Task, { kind: 'disable-webhook' }>, 'kind'>;

/** Disables a webhook whose endpoint answered 410 Gone or has failed for days, unless that has changed. */
export const disableWebhook = (tenant: Tenant, { webhookId, ...failure }: DisableTask, now: Date): Promise<void> =>
  disableEndpoint(tenant, {
    kind: 'webhook',
    id: webhookId,
    key: webhookKey.webhook(tenant, webhookId),
    failure,
    describe: ({ name }) => ({ name }),
    notify: { kind: 'notify-webhook-disabled', webhookId },
    metric: 'WebhooksDisabled',
    now,
  });
