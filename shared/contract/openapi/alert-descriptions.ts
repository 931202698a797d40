/** Descriptions of alerts, their deliveries and incidents. */
import * as z from 'zod/mini';
import { incidents } from '../endpoints/incidents.ts';
import { alertMessagesPerHour, apiKeyWarningDays, muteDaysMax, webhookIncidentAfterFailures } from '../limits.ts';
import { Alert, AlertDelivery, AlertTest, alertFields, Incident, IncidentEntry, LastDelivery } from '../models/alert.ts';
import { AlertDigest, DigestProject } from '../models/alert-digest.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const kinds = [
  'backup_failed: a backup failed (cancelled ones do not count)',
  'schedule_failed: a run of a schedule produced no backup; an alert that also has backup_failed is not sent a second message for the same backup',
  'schedule_overdue: two hours after a due time nothing has happened, or no run has succeeded for two periods',
  'destination_error: a storage destination failed its test or a job',
  'restore_failed: a restore failed',
  'capture_stalled: point-in-time recovery does not capture changes',
  'capture_diverged: the audit of point-in-time recovery found documents that differ from what was captured',
  `webhook_failing: ${webhookIncidentAfterFailures} attempts in a row failed, or every one for 15 minutes`,
  'webhook_disabled: the service disabled a webhook',
  'verification_failed: a verification found a backup damaged',
  'lock_problem: objects that a backup needs are locked for less than its storage destination promises, or a delete marker or another version hides them',
  'anomaly: a backup or captured changes differ from what is usual for the project, such as mass deletion or encryption',
  'restore_test_failed: a restore test failed, or could not start when it was due',
  'protection_lapsed: there was no good backup for lapsedAfterHours',
  `api_key_expiring: an API key expires within ${apiKeyWarningDays.join(', then ')} days, or has expired`,
].join('. ');

export const alertDescriptions: readonly FieldTexts[] = [
  fieldTexts(z.object(alertFields), {
    channel: 'Where messages go. It cannot be changed later',
    recipients:
      'email only: owners (the owner), admins (the owner and all admins), or up to 20 addresses. Groups are resolved when a message is sent. Defaults to owners',
    url: 'slack, teams and discord: the incoming webhook of the channel, or any relay that accepts the same body; https with a public address. pagerduty: only to use another endpoint of Events API v2, such as https://events.eu.pagerduty.com/v2/enqueue. Encrypted at rest. A masked URL is refused',
    routingKey: 'pagerduty only, and required there: the integration key of the service (Events API v2). Encrypted at rest',
    severity: 'The minimum that is sent',
    projectIds:
      'Only incidents of these projects. Empty: all projects. Incidents that concern no project (destination_error, webhook_failing, webhook_disabled, api_key_expiring) are always sent',
    kinds: `Only these kinds of incidents. Empty: all. ${kinds}`,
    lapsedAfterHours: 'protection_lapsed is sent when a project had no good backup for this long',
    digest:
      'email only: also sends the weekly digest, on Mondays at 08:00 in the time zone of the organization. Defaults to false; the default alert has it',
  }),
  fieldTexts(Alert, {
    recipients: 'Null unless the channel is email',
    url: 'Only scheme and host are shown; null without a URL',
    routingKey: 'Masked; null without one',
    status:
      'active: the last message was delivered, or none was sent yet. failing: the last attempt failed. disabled: nothing is sent',
    disabledReason:
      'Why the service disabled the alert: the provider says that the address no longer exists, or all messages failed for 5 days. The owner is told by e-mail',
    lastDelivery: 'The last message that was delivered or has failed, without tests',
    failingSince: 'The first failed attempt since the last success',
    failureCount: 'Failed attempts since the last success',
    isDefault: 'Created with the organization: e-mails to its owners',
  }),
  fieldTexts(LastDelivery, { error: 'Null if it was delivered' }),
  fieldTexts(AlertTest, {
    statusCode: 'Null without a response, and for e-mail',
    response: 'The first 500 characters of what the provider answered; null for e-mail',
    recipients: 'email: the addresses that the test was sent to',
    duration: 'Milliseconds',
  }),
  fieldTexts(AlertDelivery, {
    incidentId: 'Null for tests, summaries and digests',
    state: `open: an incident has begun. reminder: it fails again a day later. recovered: it is over. summary: several incidents in one message, because the alert has sent ${alertMessagesPerHour} messages in this hour`,
    kind: 'Null for tests, summaries and digests',
    statusCode: 'Status of the last attempt; null without a response, and for e-mail',
    response: 'The first 500 characters of the last response',
    duration: 'Milliseconds of the last attempt',
  }),
  fieldTexts(AlertDigest, {
    from: 'The first of seven whole days (UTC)',
    to: 'The last one: yesterday',
    projects: 'The least protected first',
    backups: 'Backups that completed or failed in these days, without safety backups, and the bytes they added',
    storage: 'Stored bytes at the end of these days, and how much more that is than before them',
    cost: 'As in the history of the overview: backups and restores that ended in these days',
    failedJobs: 'As in the overview: of the last 7 times 24 hours',
    complete: 'False if there are so many backups that the numbers of these days lack some',
    subject: 'Subject of the e-mail',
    text: 'The e-mail as plain text',
  }),
  fieldTexts(DigestProject, { lastGoodBackupAt: 'When the newest good backup completed; null if there is none' }),
  fieldTexts(Incident, {
    project: 'Null if it concerns no project',
    subject: 'What failed. There is at most one open incident for each kind and subject',
    message: 'The latest failure; of a recovered incident, why it is over',
    count: 'Failures since it was opened',
    alertIds: 'Alerts that were sent the incident; they are sent its recovery',
    page: 'The page of the console that shows what failed, below its root',
    acknowledgement: 'Who has taken notice of it, if anyone. Messages say so',
    assignee: 'The member who takes care of it; null if no one does, and once that member has left',
    mutedUntil: 'Until then no messages are sent while it is open; null if it is not muted',
  }),
  fieldTexts(IncidentEntry, {
    type: 'failed_again: a further failure. finding: what a verification, a restore or a restore test found; the first ten of each. reminded: alerts reported it again. message: what an alert has sent about it; messages are listed for 30 days',
    by: 'Null for what the service did by itself',
    message:
      'What happened: the failure, the note, the assignee, the end of muting, or the alert and whether its message arrived',
  }),
  fieldTexts(incidents.update.body, {
    assigneeId: 'The user id of a member; null removes the assignee',
    mutedUntil: `Within ${muteDaysMax} days. A reminder is sent when the time is over and the incident is still open. null ends it at once, without a message`,
  }),
];
