/**
 * Open incidents that are over: their event was lost or came too early, their subject was deleted without an event, or no one acted on
 * them for as long as that was possible.
 */

import { undoSeconds } from '../../contract/limits.ts';
import type { AlertKind } from '../../contract/models/alert-enums.ts';
import { expiryWarningOf } from '../../organization/index.ts';
import { isDamaged } from '../../overview/index.ts';
import { stalledSince } from '../../pitr/index.ts';
import { iso } from '../../platform/index.ts';
import { lockProblemOf } from '../../stored-backup/index.ts';
import { endOfLockProblem } from '../incident/lock-problem-end.ts';
import type { RecoverySignal } from '../incident/signal.ts';
import { signalsOfWebhook } from '../incident/signals-of-webhook.ts';
import type { IncidentRecord } from '../model/record.ts';
import { hasLapsed, unprotectedSince } from './find-silence.ts';
import type { WatchedState } from './watched-state.ts';

export const findRecoveries = (state: WatchedState, now: Date): readonly RecoverySignal[] =>
  state.incidents.flatMap((incident) => {
    const message = reasons[incident.kind](incident, state, now);
    const { kind, subject } = incident;
    return message === undefined ? [] : [{ state: 'recovered', kind, subjectId: subject.id, at: iso(now), message }];
  });

/** Why an incident is over; undefined while it is not. */
type Reason = (incident: IncidentRecord, state: WatchedState, now: Date) => string | undefined;

const nameOf = ({ subject }: IncidentRecord): string => subject.name ?? subject.id;
const removed = (incident: IncidentRecord): string => `${nameOf(incident)} no longer exists in the organization`;

interface WatchedIncident {
  readonly project: WatchedState['projects'][number];
  readonly incident: IncidentRecord;
  readonly now: Date;
}

const ofProject =
  (reason: (of: WatchedIncident, state: WatchedState) => string | undefined): Reason =>
  (incident, state, now) => {
    const project = state.projects.find(({ id }) => id === incident.subject.id);
    return project ? reason({ project, incident, now }, state) : removed(incident);
  };

const ofSchedule: Reason = (incident, { schedules }) => {
  const schedule = schedules.find(({ id }) => id === incident.subject.id);
  if (!schedule) return removed(incident);
  if (!schedule.enabled) return `Schedule ${schedule.name} is disabled`;
  return (schedule.lastSuccessAt ?? '') > incident.lastFailureAt ? `A backup of schedule ${schedule.name} completed` : undefined;
};

const ofWebhook: Reason = ({ kind, subject: { id } }, { webhooks, webhookHealth }, now) =>
  signalsOfWebhook(id, { webhook: webhooks.get(id), health: webhookHealth.get(id) }, now).find(
    (signal) => signal.kind === kind && signal.state === 'recovered',
  )?.message;

const reasons: Readonly<Record<AlertKind, Reason>> = {
  backup_failed: ofProject(({ project: { id, name }, incident }, { lastGood, schedules }) => {
    const { lastFailureAt, scheduleId } = incident;
    const last = lastGood.get(id);
    // A schedule that was deleted or disabled makes no further backup of its own.
    const isExpected = schedules.some((one) => one.id === scheduleId && one.enabled);
    const isOther = isExpected && last?.scheduleId && last.scheduleId !== scheduleId;
    return !isOther && (last?.completedAt ?? '') > lastFailureAt ? `A backup of ${name} completed` : undefined;
  }),
  schedule_failed: ofSchedule,
  schedule_overdue: ofSchedule,
  destination_error: (incident, { destinations }) => {
    const destination = destinations.get(incident.subject.id);
    if (!destination) return removed(incident);
    return destination.status === 'connected' ? `Storage destination ${destination.name} works again` : undefined;
  },
  restore_failed: ofProject(({ incident, now }) =>
    now.getTime() - Date.parse(incident.lastFailureAt) > undoSeconds * 1_000 ? 'The restore can no longer be resumed' : undefined,
  ),
  capture_stalled: ofProject(({ project: { id, name }, now }, { captures }) => {
    const pitr = captures.get(id);
    if (!pitr || pitr.status === 'disabled') return `Point-in-time recovery of ${name} is disabled`;
    return stalledSince(pitr, now) === undefined ? `Changes of ${name} are captured again` : undefined;
  }),
  capture_diverged: ofProject(({ project: { id, name } }, { captures }) => {
    const pitr = captures.get(id);
    if (!pitr || pitr.status === 'disabled') return `Point-in-time recovery of ${name} is disabled`;
    return pitr.mustReadBase ? undefined : `A base backup has read all of ${name} since`;
  }),
  webhook_failing: ofWebhook,
  webhook_disabled: ofWebhook,
  verification_failed: (incident, { backups }) => {
    const backup = backups.get(incident.subject.id);
    if (backup?.status !== 'completed') return 'The damaged backup was deleted';
    return isDamaged(backup) ? undefined : 'A verification of the backup passed';
  },
  lock_problem: (incident, { backups, projects, lastGood }) => {
    const { locks, subject } = incident;
    if (locks) {
      const isRemoved = !projects.some(({ id }) => id === subject.id);
      if (isRemoved) return endOfLockProblem({ found: locks.found }, backups, undefined) && removed(incident);
      return endOfLockProblem(locks, backups, backups.get(lastGood.get(subject.id)?.id ?? ''));
    }
    // One of a single backup, from before incidents of this kind were about projects.
    const backup = backups.get(incident.subject.id);
    if (backup?.status !== 'completed') return 'The backup no longer exists';
    if (backup.verification?.status === 'running') return undefined;
    return lockProblemOf(backup) === undefined ? 'A verification found the locks that the backup needs' : undefined;
  },
  anomaly: (incident, { backups }) => {
    const backup = backups.get(incident.subject.id);
    if (backup?.status !== 'completed') return 'The marked backup no longer exists';
    return backup.anomalyState === 'open' ? undefined : 'The unusual changes were acknowledged';
  },
  restore_test_failed: ofProject(({ project: { id, name } }, { restoreTests, projects }) => {
    // A test is never run into its own project, so a plan does not cover its target. If there is no other project, it says so there.
    const isOnly = projects.length === 1;
    const isTested = restoreTests.some(
      ({ enabled, projectId, target }) =>
        enabled && (target?.projectId !== id || isOnly) && (projectId === null || projectId === id),
    );
    return isTested ? undefined : `No enabled restore test covers ${name} any more`;
  }),
  api_key_expiring: (incident, { apiKeys }, now) => {
    const key = apiKeys.find(({ id }) => id === incident.subject.id);
    if (!key) return removed(incident);
    return expiryWarningOf(key, now) === undefined ? `The API key ${key.name} is valid until ${key.expiresAt}` : undefined;
  },
  protection_lapsed: ofProject(({ project, incident: { openedAt }, now }, state) => {
    const since = unprotectedSince(state, project);
    const last = state.lastGood.get(project.id);
    if (!last || state.alerts.some((alert) => hasLapsed(alert, since, now))) return undefined;
    if ((last.completedAt ?? since) > openedAt) return `${project.name} has a recent good backup again`;
    return `No alert reports yet that the last good backup of ${project.name} is from ${since}, because the alerts were changed`;
  }),
};
