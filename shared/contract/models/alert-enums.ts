/** Enumerations of alerts and incidents, without schemas, so that workers do not bundle zod. */
export const alertChannels = ['email', 'slack', 'teams', 'discord', 'pagerduty'] as const;
export type AlertChannel = (typeof alertChannels)[number];

/** In ascending order. */
export const alertSeverities = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

/** What alerts report. The order is that of the documentation. */
export const alertKinds = [
  'backup_failed',
  'schedule_failed',
  'schedule_overdue',
  'destination_error',
  'restore_failed',
  'capture_stalled',
  'capture_diverged',
  'webhook_failing',
  'webhook_disabled',
  'verification_failed',
  'lock_problem',
  'anomaly',
  'restore_test_failed',
  'protection_lapsed',
  'api_key_expiring',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** The same judgement as in the overview. critical: data would be lost, or is not protected now. warning: it may come to that. */
export const severityOfKind: Readonly<Record<AlertKind, AlertSeverity>> = {
  backup_failed: 'warning',
  schedule_failed: 'warning',
  schedule_overdue: 'critical',
  destination_error: 'warning',
  restore_failed: 'warning',
  capture_stalled: 'warning',
  capture_diverged: 'critical',
  webhook_failing: 'warning',
  webhook_disabled: 'warning',
  verification_failed: 'critical',
  lock_problem: 'warning',
  anomaly: 'critical',
  restore_test_failed: 'critical',
  protection_lapsed: 'critical',
  api_key_expiring: 'warning',
};

/** Members as recipients: the owner, or the owner and all admins. */
export const recipientGroups = ['owners', 'admins'] as const;
/** active: the last message arrived, or none was sent yet. failing: the last one did not. disabled: nothing is sent. */
export const alertStatuses = ['active', 'failing', 'disabled'] as const;
export const incidentStatuses = ['open', 'recovered'] as const;
/** What the timeline of an incident lists. message: what an alert has sent about it, and whether it arrived. */
export const incidentEntryTypes = [
  'opened',
  'failed_again',
  'finding',
  'reminded',
  'acknowledged',
  'assigned',
  'unassigned',
  'muted',
  'unmuted',
  'recovered',
  'message',
] as const;
export type IncidentEntryType = (typeof incidentEntryTypes)[number];
/** What an incident concerns. */
export const subjectTypes = ['project', 'schedule', 'storage_destination', 'webhook', 'backup', 'api_key'] as const;
/** What a message says of its incident. summary: several incidents in one message. digest: the weekly report. */
export const messageStates = ['open', 'reminder', 'recovered', 'test', 'summary', 'digest'] as const;
