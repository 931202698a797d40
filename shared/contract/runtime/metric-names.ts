/** What the service measures of itself, in its own words, each with its unit. Every metric is on the dashboard. */

/**
 * None has a dimension. A metric is billed for every combination of them, so one for each organization would cost more than its
 * backups; how much was whose is asked of the log, whose lines carry these numbers beside the organization's id.
 */
export const metrics = {
  BackupsCompleted: 'Count',
  BackupsFailed: 'Count',
  DocumentsBackedUp: 'Count',
  DocumentsRead: 'Count',
  BytesStored: 'Bytes',
  BackupDuration: 'Seconds',
  VerificationsPassed: 'Count',
  VerificationsFailed: 'Count',
  BackupsExpired: 'Count',
  ScheduledBackupsStarted: 'Count',
  ScheduledBackupsMissed: 'Count',
  RestoresCompleted: 'Count',
  RestoresFailed: 'Count',
  DocumentsRestored: 'Count',
  RestoreDuration: 'Seconds',
  ChangesCaptured: 'Count',
  ChangesRead: 'Count',
  ChangesStored: 'Bytes',
  CaptureDelay: 'Seconds',
  DeliveriesDelivered: 'Count',
  DeliveriesRetried: 'Count',
  DeliveriesFailed: 'Count',
  DeliveryDuration: 'Milliseconds',
  WebhooksDisabled: 'Count',
  CallsOverLimit: 'Count',
} as const satisfies Readonly<Record<string, 'Count' | 'Bytes' | 'Seconds' | 'Milliseconds'>>;

export type MetricName = keyof typeof metrics;

/** Where CloudWatch keeps them, and what is counted of the log. */
export const metricNamespace = 'BackupService';
