/** What the service measures of itself, in its own words. Every metric is on the dashboard, in the section that is named here. */
export interface Metric {
  readonly section: 'backups' | 'restores' | 'captures' | 'webhooks' | 'api';
  readonly unit: 'Count' | 'Bytes' | 'Seconds' | 'Milliseconds';
  readonly says: string;
}

/**
 * None has a dimension. A metric is billed for every combination of them, so one for each organization would cost more than its
 * backups; how much was whose is asked of the log, whose lines carry these numbers beside the organization's id.
 */
export const metrics = {
  BackupsCompleted: { section: 'backups', unit: 'Count', says: 'Backups that were proven and completed' },
  BackupsFailed: { section: 'backups', unit: 'Count', says: 'Backups that ended without being completed, cancelled ones aside' },
  DocumentsBackedUp: { section: 'backups', unit: 'Count', says: 'Documents in the backups that were completed' },
  DocumentsRead: { section: 'backups', unit: 'Count', says: 'Reads that sources billed for the backups that were completed' },
  BytesStored: { section: 'backups', unit: 'Bytes', says: 'What completed backups have put into destinations' },
  BackupDuration: { section: 'backups', unit: 'Seconds', says: 'From asking for a backup to its completion' },
  VerificationsPassed: { section: 'backups', unit: 'Count', says: 'Verifications that found a backup whole' },
  VerificationsFailed: { section: 'backups', unit: 'Count', says: 'Verifications that found damage' },
  BackupsExpired: { section: 'backups', unit: 'Count', says: 'Backups that retention has removed' },
  ScheduledBackupsStarted: { section: 'backups', unit: 'Count', says: 'Backups that a schedule has started' },
  ScheduledBackupsMissed: { section: 'backups', unit: 'Count', says: 'Times at which a schedule has made no backup' },
  RestoresCompleted: { section: 'restores', unit: 'Count', says: 'Restores that accounted for every document, dry runs aside' },
  RestoresFailed: { section: 'restores', unit: 'Count', says: 'Restores that ended without that, cancelled ones aside' },
  DocumentsRestored: {
    section: 'restores',
    unit: 'Count',
    says: 'Documents that are as in the backup after a completed restore',
  },
  RestoreDuration: { section: 'restores', unit: 'Seconds', says: 'From asking for a restore to its completion' },
  DeliveriesDelivered: { section: 'webhooks', unit: 'Count', says: 'Events that an endpoint has taken' },
  DeliveriesRetried: { section: 'webhooks', unit: 'Count', says: 'Attempts that failed and are made again' },
  DeliveriesFailed: { section: 'webhooks', unit: 'Count', says: 'Events that were given up' },
  DeliveryDuration: { section: 'webhooks', unit: 'Milliseconds', says: 'How long endpoints took for an attempt' },
  WebhooksDisabled: {
    section: 'webhooks',
    unit: 'Count',
    says: 'Webhooks that the service has disabled: gone, or failing for days',
  },
  CallsOverLimit: { section: 'api', unit: 'Count', says: 'Calls refused because their caller made too many' },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** Where CloudWatch keeps them, and what is counted of the log. */
export const metricNamespace = 'BackupService';
