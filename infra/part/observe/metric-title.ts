/** Title and dashboard section of each metric. Kept apart from the names, which are part of every bundle. */
import type { MetricName } from '../../../shared/contract/runtime/metric-names.ts';

export interface MetricTitle {
  readonly section: 'backups' | 'restores' | 'captures' | 'webhooks' | 'api';
  readonly says: string;
}

/** Total: a metric without a title does not compile. */
export const metricTitles: Readonly<Record<MetricName, MetricTitle>> = {
  BackupsCompleted: { section: 'backups', says: 'Completed backups' },
  BackupsFailed: { section: 'backups', says: 'Failed backups' },
  DocumentsBackedUp: { section: 'backups', says: 'Documents in completed backups' },
  DocumentsRead: { section: 'backups', says: 'Billed source reads of completed backups' },
  BytesStored: { section: 'backups', says: 'Bytes stored by completed backups' },
  BackupDuration: { section: 'backups', says: 'Backup duration, from request to completion' },
  VerificationsPassed: { section: 'backups', says: 'Verifications passed' },
  VerificationsFailed: { section: 'backups', says: 'Verifications that found damage' },
  BackupsExpired: { section: 'backups', says: 'Backups expired by retention' },
  ScheduledBackupsStarted: { section: 'backups', says: 'Backups started by schedules' },
  ScheduledBackupsMissed: { section: 'backups', says: 'Scheduled backups missed' },
  RestoresCompleted: { section: 'restores', says: 'Completed restores, without dry runs' },
  RestoresFailed: { section: 'restores', says: 'Failed restores, without dry runs' },
  DocumentsRestored: { section: 'restores', says: 'Documents in completed restores' },
  RestoreDuration: { section: 'restores', says: 'Restore duration, from request to completion' },
  ChangesCaptured: { section: 'captures', says: 'Captured versions and deletions' },
  ChangesRead: { section: 'captures', says: 'Billed source reads of captures' },
  ChangesStored: { section: 'captures', says: 'Bytes stored by captures' },
  CaptureDelay: { section: 'captures', says: 'Capture lag: age of the captured moment when it is stored' },
  DeliveriesDelivered: { section: 'webhooks', says: 'Events delivered' },
  DeliveriesRetried: { section: 'webhooks', says: 'Failed attempts that are retried' },
  DeliveriesFailed: { section: 'webhooks', says: 'Deliveries abandoned' },
  DeliveryDuration: { section: 'webhooks', says: 'Response time of endpoints' },
  WebhooksDisabled: { section: 'webhooks', says: 'Webhooks disabled by the service' },
  CallsOverLimit: { section: 'api', says: 'Requests rejected by rate limits' },
};
