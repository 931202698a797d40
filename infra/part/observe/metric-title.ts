/** Title and dashboard section of each metric. Kept apart from the names, which are part of every bundle. */
import type { MetricName } from '../../../shared/contract/runtime/metric-names.ts';

export interface MetricTitle {
  readonly section: 'backups' | 'restores' | 'captures' | 'webhooks' | 'alerts' | 'api';
  readonly title: string;
}

/** Total: a metric without a title does not compile. */
export const metricTitles: Readonly<Record<MetricName, MetricTitle>> = {
  BackupsCompleted: { section: 'backups', title: 'Completed backups' },
  BackupsFailed: { section: 'backups', title: 'Failed backups' },
  DocumentsBackedUp: { section: 'backups', title: 'Documents in completed backups' },
  DocumentsRead: { section: 'backups', title: 'Billed source reads of completed backups' },
  BytesStored: { section: 'backups', title: 'Bytes stored by completed backups' },
  BackupDuration: { section: 'backups', title: 'Backup duration, from request to completion' },
  VerificationsPassed: { section: 'backups', title: 'Verifications passed' },
  VerificationsFailed: { section: 'backups', title: 'Verifications that found damage' },
  BackupsExpired: { section: 'backups', title: 'Backups expired by retention' },
  ScheduledBackupsStarted: { section: 'backups', title: 'Backups started by schedules' },
  ScheduledBackupsMissed: { section: 'backups', title: 'Scheduled backups missed' },
  RestoresCompleted: { section: 'restores', title: 'Completed restores, without dry runs' },
  RestoresFailed: { section: 'restores', title: 'Failed restores, without dry runs' },
  DocumentsRestored: { section: 'restores', title: 'Documents in completed restores' },
  ExportsCompleted: { section: 'restores', title: 'Completed exports' },
  ExportsFailed: { section: 'restores', title: 'Failed exports' },
  DocumentsExported: { section: 'restores', title: 'Documents in completed exports' },
  RestoreDuration: { section: 'restores', title: 'Restore duration, from request to completion' },
  ChangesCaptured: { section: 'captures', title: 'Captured versions and deletions' },
  ChangesRead: { section: 'captures', title: 'Billed source reads of captures' },
  ChangesStored: { section: 'captures', title: 'Bytes stored by captures' },
  CaptureDelay: { section: 'captures', title: 'Capture lag: age of the captured moment when it is stored' },
  DocumentsAudited: { section: 'captures', title: 'Documents read again and compared with what was captured' },
  DocumentsDiverged: { section: 'captures', title: 'Documents that differed from what was captured' },
  DeliveriesDelivered: { section: 'webhooks', title: 'Events delivered' },
  DeliveriesRetried: { section: 'webhooks', title: 'Failed attempts that are retried' },
  DeliveriesFailed: { section: 'webhooks', title: 'Deliveries abandoned' },
  DeliveryDuration: { section: 'webhooks', title: 'Response time of endpoints' },
  WebhooksDisabled: { section: 'webhooks', title: 'Webhooks disabled by the service' },
  IncidentsOpened: { section: 'alerts', title: 'Incidents opened' },
  AlertsDelivered: { section: 'alerts', title: 'Messages delivered' },
  AlertsRetried: { section: 'alerts', title: 'Failed attempts that are retried' },
  AlertsFailed: { section: 'alerts', title: 'Messages abandoned' },
  AlertsHeld: { section: 'alerts', title: 'Messages held by the hourly limit' },
  AlertsDisabled: { section: 'alerts', title: 'Alerts disabled by the service' },
  CallsOverLimit: { section: 'api', title: 'Requests rejected by rate limits' },
};
