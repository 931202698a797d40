/** Alerts and incidents with a table and queues, for tests without a stage. */
import { accountKey } from '../../../shared/account/index.ts';
import { newAlert } from '../../../shared/alert/model/new-alert.ts';
import {
  type AlertDeliveryRecord,
  type AlertRecord,
  alertKey,
  type HeldMessage,
  type IncidentRecord,
} from '../../../shared/alert/model/record.ts';
import { iso, newIdOf } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { createWebhookRecordsEnv, minutes, now, organization, tenant } from './webhook-records.ts';

export const hours = (count: number): Date => minutes(count * 60);

/** As old as the organization's other records. */
export const alertOf = (more: Partial<AlertRecord> = {}): AlertRecord => ({
  ...newAlert(
    tenant,
    { id: newIdOf('alert', hours(-10)), name: 'Pager', channel: 'slack', createdBy: { type: 'system', id: 'test', email: null } },
    hours(-10),
  ),
  ...more,
});

const projectId = newIdOf('project', hours(-10));
/** A connected project without point-in-time recovery. */
export const shop = {
  ...projectKey.project(tenant, projectId),
  id: projectId,
  name: 'Shop',
  status: 'connected',
  settings: {},
  pitr: { enabled: false },
  createdAt: iso(hours(0)),
};

export const active = { ...organization, createdAt: iso(hours(-100)), timezone: 'UTC' };

export const createAlertEnv = async () => {
  const env = await createWebhookRecordsEnv();
  Object.assign(process.env, {
    INCIDENT_QUEUE_URL: `${process.env.AWS_ENDPOINT_URL}/1/Incidents`,
    ALERT_DELIVERY_QUEUE_URL: `${process.env.AWS_ENDPOINT_URL}/1/AlertDeliveries`,
    CONSOLE_URL: 'https://console.example.com/',
    PLAN: 'starter',
    AUDIT_RETENTION_DAYS: '',
  });
  const { table, aws } = env;
  const { pk } = organization;
  return {
    ...env,
    reset: (...alerts: readonly AlertRecord[]) => {
      table.items.clear();
      table.onWrite = () => undefined;
      aws.calls.length = 0;
      const marker = { ...alertKey.alerting(tenant), createdAt: active.createdAt, alertCount: alerts.length };
      const owner = { ...accountKey.user(organization.ownerId), id: organization.ownerId, email: 'owner@example.com' };
      for (const item of [active, marker, owner, ...alerts]) table.put(item);
    },
    incidents: () => table.find(pk, 'INCIDENT#') as unknown as readonly IncidentRecord[],
    held: () => table.find(pk, 'HELD#') as unknown as readonly HeldMessage[],
    deliveries: ({ id }: AlertRecord) =>
      table.find(alertKey.health(tenant, id).pk, 'dlv_') as unknown as readonly AlertDeliveryRecord[],
  };
};

export { minutes, now, organization, tenant };
