import { auditNote } from '../../audit/index.ts';
import { resetHealth } from '../../delivery/index.ts';
import { type Change, iso, omitUndefined, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { secretAttributes } from '../model/alert-secrets.ts';
import type { AlertWithHealth } from '../model/get-alert.ts';
import { type AlertRecord, alertKey } from '../model/record.ts';
import { type AlertInput, checkAddressAndProjects, checkAlertInput, plainAttributes } from './alert-input.ts';
import { auditDetails } from './create-alert.ts';

/** Changes the given fields. An empty input writes nothing, not even an audit entry. */
export const updateAlert = async (
  tenant: Tenant,
  {
    current: { alert, health },
    input,
    now,
  }: { readonly current: AlertWithHealth; readonly input: AlertInput; readonly now: Date },
): Promise<AlertWithHealth & { change: Change }> => {
  const changed = Object.keys(omitUndefined(input));
  if (changed.length === 0) return { alert, health, change: { writes: [], audit: [] } };
  checkAlertInput(input, alert);
  await checkAddressAndProjects(tenant, input, alert);
  const { url, routingKey, enabled } = input;
  const attributes = {
    ...omitUndefined(plainAttributes(input)),
    ...(await secretAttributes(tenant, alert.id, { url, routingKey })),
    // Enabling clears the reason for which the service disabled it.
    ...(enabled && { disabled: undefined }),
    revision: alert.revision + 1,
    updatedAt: iso(now),
  };
  const revised = omitUndefined({ ...alert, ...attributes }) as AlertRecord;
  // A re-enabled alert, or one with another address, starts with a new failure period.
  const isReset = (enabled === true && !alert.enabled) || url !== undefined || routingKey !== undefined;
  return {
    alert: revised,
    health: isReset && health ? { ...health, ...cleared } : health,
    change: {
      writes: [
        set(alertKey.alert(tenant, alert.id), attributes, {
          expected: { revision: alert.revision },
          onConditionFailed: () => new StaleReadError(),
        }),
        ...(isReset ? resetHealth(tenant, alert.id, health) : []),
      ],
      audit: [auditNote(tenant, { type: 'alert', id: alert.id, details: { ...auditDetails(revised), changed } })],
    },
  };
};

const cleared = { failingSince: undefined, failureCount: undefined } as object;
