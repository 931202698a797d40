/**
 * A valid request of every operation with a body. None does harm: what deletes is recoverable, and what writes to a database is a dry
 * run. A test sends each to a running service, with the ids of existing resources.
 */
import type * as z from 'zod/mini';
import type { contract } from '../../index.ts';
import { backupTimeoutMinutes, overlapHours, pitrRetentionDays } from '../../limits.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';

/** The moment of all examples. */
export const exampleTime = new Date('2026-01-31T12:00:00.000Z');
const { project, storage, schedule, backup } = sampleResourcesAt(exampleTime);

type Groups = typeof contract;
type Rows = { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups];
type WithBody = Extract<Rows, { readonly body: z.ZodMiniType }>;
type Bodies = { readonly [E in WithBody as E['id']]: z.input<E['body']> };

export const requestExamples: Bodies = {
  'auth.token': { code: 'the code from the redirect', grant_type: 'authorization_code' },
  'auth.refresh': { refreshToken: 'the refresh token' },
  'auth.logout': {},
  'device.start': { clientName: 'bms on build-7' },
  'device.token': { deviceCode: 'the device code' },
  'device.decide': { userCode: 'WDJB-MJHT', decision: 'approve' },
  'sessions.revokeAll': { exceptCurrent: true },
  'organizations.create': { name: 'Example' },
  'organizations.update': { name: 'Example', settings: { timezone: 'Europe/Berlin' } },
  'organizations.remove': { confirmName: 'Example' },
  'organizations.leave': {},
  'organizations.recover': {},
  'members.update': { role: 'admin' },
  'invites.create': { email: 'grace@example.com', role: 'member' },
  'invites.resend': {},
  'invitations.accept': {},
  'invitations.decline': {},
  'serviceAccount.create': { name: 'Deployments', permissions: ['backups:read', 'backups:write'] },
  'serviceAccount.update': { permissions: ['backups:read'] },
  'serviceAccount.rotateKey': { overlapHours },
  'serviceAccount.takeOver': {},
  'apiKeys.create': {
    name: 'Backup before deploy',
    role: 'member',
    permissions: ['backups:read', 'backups:write'],
    projectIds: [project.id],
    allowedAddresses: ['203.0.113.0/24'],
  },
  'apiKeys.update': { permissions: ['backups:read'] },
  'apiKeys.rotate': { overlapHours },
  'encryption.set': { mode: 'kms' },
  'encryption.rotate': {},
  'projects.create': { name: project.name, sourceProjectId: project.sourceProjectId },
  'projects.update': { settings: { backupTimeoutMinutes: 2 * backupTimeoutMinutes } },
  'projects.reconnect': {},
  'pitr.enable': { retentionDays: pitrRetentionDays, storageDestinationId: storage.id },
  'erasures.preview': { paths: ['users/ada'], includeSubcollections: true },
  'erasures.create': { paths: ['users/ada'], includeSubcollections: true, reason: 'Request of 2025-01-31, ticket 4711' },
  'pitr.update': { retentionDays: 2 * pitrRetentionDays },
  'storageDestinations.create': {
    name: storage.name,
    type: 's3',
    bucket: storage.bucket,
    prefix: storage.prefix,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  },
  'storageDestinations.update': { name: 'Backups in Dublin' },
  'storageDestinations.test': {},
  'backups.create': { projectId: project.id, storageDestinationId: storage.id, retention: 30 },
  'backups.cancel': {},
  'backups.verify': { depth: 'sample' },
  'backups.acknowledge': { note: 'The yearly clean-up of old orders' },
  'backupContents.register': {
    projectId: project.id,
    storageDestinationId: storage.id,
    path: `${storage.prefix}/${project.id}/${backup.id}`,
  },
  'backupContents.configurationRestore': { dryRun: true, parts: ['indexes', 'fields'] },
  'restores.create': { backupId: backup.id, collections: ['orders'], options: { mergeMode: 'merge', dryRun: true } },
  'exports.create': { backupId: backup.id, collections: ['orders'], format: 'parquet', storageDestinationId: storage.id },
  'exports.resume': {},
  'exports.cancel': {},
  'restores.cancel': {},
  'restores.resume': {},
  'restores.undo': {},
  'schedules.create': {
    projectId: project.id,
    name: schedule.name,
    cron: schedule.cron,
    timezone: schedule.timezone,
    retention: 30,
    storageDestinationId: storage.id,
  },
  'schedules.update': { cron: '30 2 * * *' },
  'schedules.trigger': {},
  'restoreTests.create': {
    name: 'Monthly proof',
    projectId: project.id,
    cron: '0 5 1 * *',
    backup: { pick: 'random', days: 30 },
    scope: { type: 'sample', documentsPerCollection: 100 },
  },
  'restoreTests.update': { backup: { pick: 'latest' }, enabled: false },
  'restoreTests.replace': { name: 'Monthly proof', cron: '0 5 1 * *' },
  'restoreTests.run': {},
  'restoreTests.cancelRun': {},
  'restoreTests.answerCheck': { result: 'pass', message: 'All 12 checks passed' },
  'webhooks.create': { name: 'On-call', url: 'https://example.com/hooks/backups', events: ['backup.*', 'restore.failed'] },
  'webhooks.replace': { events: ['backup.failed', 'restore.failed'] },
  'webhooks.update': { events: ['backup.failed', 'restore.failed'] },
  'webhooks.toggle': { enabled: false },
  'webhooks.rotateSecret': { overlapHours },
  'webhooks.test': { event: 'backup.completed' },
  'webhooks.retry': {},
  'alerts.create': {
    name: 'On-call',
    channel: 'slack',
    url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    severity: 'warning',
    projectIds: [project.id],
    kinds: ['backup_failed', 'protection_lapsed'],
  },
  'alerts.update': { severity: 'critical' },
  'incidents.acknowledge': { note: 'The grant was revoked by mistake; asking for it again' },
  'incidents.update': { assigneeId: null },
  'alerts.test': {},
  'alerts.retry': {},
  'webhooks.replay': { from: '2026-01-30', to: '2026-01-31' },
};
