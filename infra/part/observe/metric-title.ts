/** What each metric of ours says, and where on the dashboard. Not beside its name: that is part of every bundle. */
import type { MetricName } from '../../../shared/contract/runtime/metric-names.ts';

export interface MetricTitle {
  readonly section: 'backups' | 'restores' | 'captures' | 'webhooks' | 'api';
  readonly says: string;
}

/** Total: a metric that has no place does not compile. */
export const metricTitles: Readonly<Record<MetricName, MetricTitle>> = {
  BackupsCompleted: { section: 'backups', says: 'Backups that were proven and completed' },
  BackupsFailed: { section: 'backups', says: 'Backups that ended without being completed, cancelled ones aside' },
  DocumentsBackedUp: { section: 'backups', says: 'Documents in the backups that were completed' },
  DocumentsRead: { section: 'backups', says: 'Reads that sources billed for the backups that were completed' },
  BytesStored: { section: 'backups', says: 'What completed backups have put into destinations' },
  BackupDuration: { section: 'backups', says: 'From asking for a backup to its completion' },
  VerificationsPassed: { section: 'backups', says: 'Verifications that found a backup whole' },
  VerificationsFailed: { section: 'backups', says: 'Verifications that found damage' },
  BackupsExpired: { section: 'backups', says: 'Backups that retention has removed' },
  ScheduledBackupsStarted: { section: 'backups', says: 'Backups that a schedule has started' },
  ScheduledBackupsMissed: { section: 'backups', says: 'Times at which a schedule has made no backup' },
  RestoresCompleted: { section: 'restores', says: 'Restores that accounted for every document, dry runs aside' },
  RestoresFailed: { section: 'restores', says: 'Restores that ended without that, cancelled ones aside' },
  DocumentsRestored: { section: 'restores', says: 'Documents that are as in the backup after a completed restore' },
  RestoreDuration: { section: 'restores', says: 'From asking for a restore to its completion' },
  ChangesCaptured: { section: 'captures', says: 'Versions and deletions that can be restored since' },
  ChangesRead: { section: 'captures', says: 'Reads that sources billed for captures' },
  ChangesStored: { section: 'captures', says: 'What captures have put into destinations' },
  CaptureDelay: { section: 'captures', says: 'How old the moment is that a turn has captured up to, when it is saved' },
  DeliveriesDelivered: { section: 'webhooks', says: 'Events that an endpoint has taken' },
  DeliveriesRetried: { section: 'webhooks', says: 'Attempts that failed and are made again' },
  DeliveriesFailed: { section: 'webhooks', says: 'Events that were given up' },
  DeliveryDuration: { section: 'webhooks', says: 'How long endpoints took for an attempt' },
  WebhooksDisabled: { section: 'webhooks', says: 'Webhooks that the service has disabled: gone, or failing for days' },
  CallsOverLimit: { section: 'api', says: 'Calls refused because their caller made too many' },
};
