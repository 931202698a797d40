/** Metrics of the service with their units. The dashboard shows all of them. */

/**
 * Metrics have no dimensions: CloudWatch bills each combination, so one per organization would cost more than its backups. For the
 * numbers of one organization query the log, whose lines carry them with the organization's id.
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
  ExportsCompleted: 'Count',
  ExportsFailed: 'Count',
  DocumentsExported: 'Count',
  RestoreDuration: 'Seconds',
  ChangesCaptured: 'Count',
  ChangesRead: 'Count',
  ChangesStored: 'Bytes',
  CaptureDelay: 'Seconds',
  DocumentsAudited: 'Count',
  DocumentsDiverged: 'Count',
  DeliveriesDelivered: 'Count',
  DeliveriesRetried: 'Count',
  DeliveriesFailed: 'Count',
  DeliveryDuration: 'Milliseconds',
  WebhooksDisabled: 'Count',
  IncidentsOpened: 'Count',
  AlertsDelivered: 'Count',
  AlertsRetried: 'Count',
  AlertsFailed: 'Count',
  AlertsHeld: 'Count',
  AlertsDisabled: 'Count',
  CallsOverLimit: 'Count',
} as const satisfies Readonly<Record<string, 'Count' | 'Bytes' | 'Seconds' | 'Milliseconds'>>;

export type MetricName = keyof typeof metrics;

/** CloudWatch namespace of these metrics and of the metric filters on logs, unless METRIC_NAMESPACE names another deployment's. */
export const metricNamespace = 'BackupService';
