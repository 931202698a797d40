/** An alert as the API shows it. It cannot leak a secret, because the record holds only encrypted ones. */
import type * as z from 'zod/mini';
import type { Alert, AlertDelivery, Incident } from '../../contract/models/alert.ts';
import { iso, secretMask } from '../../platform/index.ts';
import { isMuted } from './incident-timeline.ts';
import type { AlertDeliveryRecord, AlertHealth, AlertRecord, IncidentRecord } from './record.ts';

export const alertData = (alert: AlertRecord, health: AlertHealth | undefined): z.input<typeof Alert> => {
  const failingSince = health?.failingSince ?? null;
  const { recipients } = alert;
  return {
    id: alert.id,
    name: alert.name,
    channel: alert.channel,
    recipients: recipients === undefined ? null : typeof recipients === 'string' ? recipients : [...recipients],
    url: alert.shownUrl ?? null,
    routingKey: alert.sealedRoutingKey ? secretMask : null,
    severity: alert.severity,
    projectIds: [...alert.projectIds],
    kinds: [...alert.kinds],
    lapsedAfterHours: alert.lapsedAfterHours,
    digest: alert.digest,
    enabled: alert.enabled,
    status: !alert.enabled ? 'disabled' : failingSince === null ? 'active' : 'failing',
    disabledReason: alert.disabled?.reason ?? null,
    lastDelivery: health?.lastDelivery ?? null,
    failingSince,
    failureCount: failingSince === null ? 0 : (health?.failureCount ?? 1),
    isDefault: alert.isDefault,
    createdBy: alert.createdBy,
    createdAt: alert.createdAt,
    updatedAt: alert.updatedAt,
  };
};

/** `lastError` is of the last attempt, and is shown until an attempt succeeds. */
export const alertDeliveryData = (record: AlertDeliveryRecord): z.input<typeof AlertDelivery> => ({
  id: record.id,
  incidentId: record.incidentId ?? null,
  state: record.state,
  kind: record.kind ?? null,
  title: record.title,
  status: record.status,
  statusCode: record.statusCode,
  response: record.response,
  createdAt: record.createdAt,
  duration: record.durationMs,
  attempts: record.attempts,
  ...(record.status !== 'delivered' && record.lastError !== null && { lastError: record.lastError }),
  lastAttemptAt: record.lastAttemptAt,
  nextAttemptAt: record.nextAttemptAt,
});

export const incidentData = (record: IncidentRecord, now: Date): z.input<typeof Incident> => ({
  id: record.id,
  kind: record.kind,
  severity: record.severity,
  status: record.status,
  title: record.title,
  message: record.message,
  project: record.project,
  subject: record.subject,
  count: record.count,
  openedAt: record.openedAt,
  lastFailureAt: record.lastFailureAt,
  recoveredAt: record.recoveredAt,
  alertIds: [...record.alertIds],
  page: record.page,
  acknowledgement: record.acknowledgement ?? null,
  assignee: record.assignee ?? null,
  mutedUntil: isMuted(record, iso(now)) ? (record.mutedUntil ?? null) : null,
});
