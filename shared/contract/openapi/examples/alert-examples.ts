/** Examples of alerts, their deliveries and incidents. */
import type * as z from 'zod/mini';
import { idPrefixes } from '../../ids.ts';
import { lapsedAfterHours } from '../../limits.ts';
import type { Alert, AlertDelivery, AlertTest, Incident, IncidentEntry, IncidentWithTimeline } from '../../models/alert.ts';
import type { AlertDigest, DigestProject } from '../../models/alert-digest.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { overviewExample } from './job-examples.ts';
import { exampleTime } from './request-examples.ts';

const { project, person, ago } = sampleResourcesAt(exampleTime);
const ulid = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const now = exampleTime.toISOString();
const alertId = `${idPrefixes.alert}_${ulid}`;
const deliveryId = `${idPrefixes.delivery}_${ulid}`;
const incidentId = `${idPrefixes.incident}_${ulid}`;
const title = `Backup failed: ${project.name}`;

export const alert: z.output<typeof Alert> = {
  id: alertId,
  name: 'On-call',
  channel: 'slack',
  recipients: null,
  url: 'https://hooks.slack.com/********',
  routingKey: null,
  severity: 'warning',
  projectIds: [project.id],
  kinds: ['backup_failed', 'protection_lapsed'],
  lapsedAfterHours,
  digest: false,
  enabled: true,
  status: 'active',
  disabledReason: null,
  lastDelivery: { id: deliveryId, state: 'open', status: 'delivered', at: now, error: null },
  failingSince: null,
  failureCount: 0,
  isDefault: false,
  createdBy: { type: 'user', ...person },
  createdAt: ago(24 * 3_600),
  updatedAt: ago(24 * 3_600),
};

export const alertTest: z.output<typeof AlertTest> = {
  alertId,
  alertName: alert.name,
  channel: 'slack',
  success: true,
  statusCode: 200,
  response: 'ok',
  recipients: null,
  duration: 214,
  deliveryId,
};

export const alertDelivery: z.output<typeof AlertDelivery> = {
  id: deliveryId,
  incidentId,
  state: 'open',
  kind: 'backup_failed',
  title,
  status: 'delivered',
  statusCode: 200,
  response: 'ok',
  createdAt: now,
  duration: 214,
  attempts: 1,
  lastAttemptAt: now,
  nextAttemptAt: null,
};

const [first] = overviewExample.projects;
if (!first) throw new Error('the example of the overview has no project');
const { protection, reasons, lastVerification, lastRestoreTest, lastRestore, nextRun, lastGoodBackup } = first;
const [day] = overviewExample.history.days;
if (!day) throw new Error('the example of the overview has no history');
const { backups: completed, failed, addedBytes, storedBytes, cost } = day;

export const digestProject: z.output<typeof DigestProject> = {
  id: project.id,
  name: project.name,
  protection,
  reasons,
  lastVerification,
  lastRestoreTest,
  lastRestore,
  nextRun,
  lastGoodBackupAt: lastGoodBackup?.completedAt ?? null,
};

export const alertDigest: z.output<typeof AlertDigest> = {
  at: now,
  from: '2026-01-25',
  to: '2026-01-31',
  totals: { projects: 1, protected: 0, atRisk: 1, unprotected: 0 },
  projects: [digestProject],
  backups: { completed, failed, addedBytes },
  storage: { storedBytes, changeBytes: addedBytes },
  cost,
  failedJobs: overviewExample.failedJobs,
  complete: true,
  subject: 'Weekly digest: 1 of 1 project is not protected (Acme)',
  text: 'The week from 2026-01-25 to 2026-01-31 (UTC) in the organization "Acme": 1 of 1 project is not protected.',
};

export const incident: z.output<typeof Incident> = {
  id: incidentId,
  kind: 'backup_failed',
  severity: 'warning',
  status: 'open',
  title,
  message: 'The service is not allowed to read the source project',
  project: { id: project.id, name: project.name },
  subject: { type: 'project', id: project.id, name: project.name },
  count: 1,
  openedAt: now,
  lastFailureAt: now,
  recoveredAt: null,
  alertIds: [alertId],
  page: '/backups/bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  acknowledgement: { by: { type: 'user', ...person }, at: now, note: 'The grant was revoked by mistake; asking for it again' },
  assignee: { id: person.id, email: person.email, name: 'Ada Lovelace' },
  mutedUntil: null,
};

export const incidentOpening: z.output<typeof IncidentEntry> = { at: now, type: 'opened', by: null, message: incident.message };

export const incidentWithTimeline: z.output<typeof IncidentWithTimeline> = {
  ...incident,
  timeline: [
    incidentOpening,
    { at: now, type: 'message', by: null, message: 'Opening delivered by On-call (slack)' },
    {
      at: now,
      type: 'acknowledged',
      by: { type: 'user', ...person },
      message: 'The grant was revoked by mistake; asking for it again',
    },
  ],
};
