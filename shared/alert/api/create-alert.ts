import { type Actor, auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { countLimit, type OrganizationRecord, whileActive } from '../../organization/index.ts';
import {
  type Change,
  create,
  get,
  omitUndefined,
  StaleReadError,
  type Tenant,
  update,
  type Write,
} from '../../platform/index.ts';
import { secretAttributes } from '../model/alert-secrets.ts';
import { belatedDefaultAlert } from '../model/default-alert.ts';
import { newAlert } from '../model/new-alert.ts';
import { type AlertingRecord, type AlertRecord, alertKey } from '../model/record.ts';
import { type AlertInput, checkAddressAndProjects, checkAlertInput, plainAttributes } from './alert-input.ts';

interface NewAlertContext {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  readonly actor: Actor;
  readonly id: string;
  readonly now: Date;
}

export const createAlert = async (
  { tenant, organization, actor, id, now }: NewAlertContext,
  input: AlertInput & { readonly name: string; readonly channel: AlertRecord['channel'] },
): Promise<{ alert: AlertRecord; change: Change }> => {
  checkAlertInput(input);
  await checkAddressAndProjects(tenant, input);
  const { name, channel, url, routingKey } = input;
  const createdBy = actor;
  const plain = newAlert(tenant, { ...omitUndefined(plainAttributes(input)), id, name, channel, createdBy }, now);
  const [secrets, marker] = await Promise.all([
    secretAttributes(tenant, id, { url, routingKey }),
    get(alertKey.alerting(tenant)),
  ]);
  const alert: AlertRecord = { ...plain, ...secrets };
  const counted = marker
    ? countAlerts(tenant, marker, 1)
    : belatedDefaultAlert(tenant, { organization, now, alertCount: 2 }).writes;
  return {
    alert,
    change: {
      writes: [create(alert), ...counted],
      audit: [auditNote(tenant, { type: 'alert', id, details: auditDetails(alert) })],
    },
  };
};

/** Part of the transaction that adds or removes an alert of an active organization. */
export const countAlerts = (tenant: Tenant, { alertCount }: AlertingRecord, amount: 1 | -1): readonly Write[] => {
  const { max, message } = countLimit('alerts');
  if (alertCount + amount > max) throw new ApiError('CONFLICT', message, { max });
  const onConditionFailed = () => new StaleReadError();
  return [
    update(alertKey.alerting(tenant), { add: { alertCount: amount }, expected: { alertCount }, onConditionFailed }),
    whileActive(tenant),
  ];
};

/** What the audit log says of an alert: of the URL only the host. */
export const auditDetails = (alert: AlertRecord) => ({
  name: alert.name,
  channel: alert.channel,
  severity: alert.severity,
  kinds: alert.kinds,
  projectIds: alert.projectIds,
  enabled: alert.enabled,
  ...(alert.recipients !== undefined && { recipients: alert.recipients }),
  ...(alert.shownUrl !== undefined && { host: new URL(alert.shownUrl).host }),
});
