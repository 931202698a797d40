import { disableEndpoint } from '../../delivery/index.ts';
import type { Task } from '../../event/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { alertKey } from '../model/record.ts';

type DisableTask = Omit<Extract<Task, { kind: 'disable-alert' }>, 'kind'>;

/** Disables an alert whose address no longer exists or has failed for days, unless that has changed. */
export const disableAlert = (tenant: Tenant, { alertId, ...failure }: DisableTask, now: Date): Promise<void> =>
  disableEndpoint(tenant, {
    kind: 'alert',
    id: alertId,
    key: alertKey.alert(tenant, alertId),
    failure,
    describe: ({ name, channel }) => ({ name, channel }),
    notify: { kind: 'notify-alert-disabled', alertId },
    metric: 'AlertsDisabled',
    now,
  });
