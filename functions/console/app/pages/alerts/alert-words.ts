import type { AlertChannel, AlertKind, AlertSeverity } from '../../../../../shared/contract/models/alert-enums.ts';
import type { Alert, AlertDelivery } from '../../data/alerts.ts';
import { formatPlural } from '../../format/format-number.ts';
import type { Tone } from '../../ui/data/badge.tsx';

export const channelWords: Readonly<Record<AlertChannel, string>> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  pagerduty: 'PagerDuty',
};

export const kindWords: Readonly<Record<AlertKind, readonly [label: string, hint: string]>> = {
  backup_failed: ['Backup failed', 'A backup ended with an error. Cancelled ones do not count.'],
  schedule_failed: ['Schedule failed', 'A run of a schedule produced no backup.'],
  schedule_overdue: ['Schedule overdue', 'Nothing happened two hours after a due time, or no run succeeded for two periods.'],
  destination_error: ['Storage in error', 'A storage destination failed its test or a job.'],
  restore_failed: ['Restore failed', 'A restore ended with an error.'],
  capture_stalled: ['Point-in-time recovery stalled', 'Changes are not captured, so they could not be restored.'],
  capture_diverged: ['Captured documents differ', 'The audit found documents that differ from what was captured of them.'],
  webhook_failing: ['Webhook failing', 'Three attempts in a row failed, or every one for 15 minutes.'],
  webhook_disabled: ['Webhook disabled', 'The service disabled a webhook because its endpoint failed for days.'],
  verification_failed: ['Verification failed', 'A verification found a backup damaged.'],
  lock_problem: ['Locks incomplete', 'Objects of a backup are locked for less than promised, or were hidden in the bucket.'],
  anomaly: ['Unusual changes', 'A backup differs from what is usual: mass deletion, encryption, or fields that vanished.'],
  restore_test_failed: ['Restore test failed', 'A restore test did not succeed.'],
  api_key_expiring: ['API key about to expire', 'A key of a pipeline expires within two weeks, or has expired.'],
  protection_lapsed: ['Protection lapsed', 'There was no good backup for longer than the hours below: an alert on silence.'],
};

export const severityWords: Readonly<Record<AlertSeverity, readonly [word: string, tone: Tone]>> = {
  critical: ['Critical', 'bad'],
  warning: ['Warning', 'warn'],
  info: ['Info', 'info'],
};

export const minimumWords: Readonly<Record<AlertSeverity, string>> = {
  info: 'Everything',
  warning: 'Warnings and critical ones',
  critical: 'Critical ones only',
};

export const messageWords: Readonly<Record<AlertDelivery['state'], string>> = {
  open: 'Opened',
  reminder: 'Reminder',
  recovered: 'Recovered',
  test: 'Test',
  summary: 'Summary',
  digest: 'Weekly digest',
};

/** Where messages go, in a few words. */
export const targetWords = ({ channel, recipients, url }: Alert): string => {
  if (channel === 'email') {
    if (recipients === 'owners') return 'The owner of the organization';
    if (recipients === 'admins') return 'The owner and all admins';
    return recipients?.join(', ') ?? '';
  }
  // The rest of the URL is a secret and masked.
  return url === null ? 'Events API v2' : new URL(url).host;
};

export const kindsWords = ({ kinds }: Alert): string =>
  kinds.length === 0 ? 'All kinds' : kinds.map((kind) => kindWords[kind][0]).join(', ');

export const projectsWords = ({ projectIds }: Alert): string =>
  projectIds.length === 0 ? 'All projects' : formatPlural(projectIds.length, 'project');
