/** What should have happened and did not: no event reports it. */

import { expiryWarningOf } from '../../organization/index.ts';
import { dueTimeOf } from '../../overview/index.ts';
import { stalledSince } from '../../pitr/index.ts';
import { iso } from '../../platform/index.ts';
import type { FailureSignal } from '../incident/signal.ts';
import { signalsOfWebhook } from '../incident/signals-of-webhook.ts';
import type { AlertRecord } from '../model/record.ts';
import type { WatchedState } from './watched-state.ts';

/** `source` names the moment since when it is silent, so that the same silence is one incident. */
export const findSilence = (state: WatchedState, now: Date): readonly FailureSignal[] => [
  ...overdueSchedules(state, now),
  ...stalledCaptures(state, now),
  ...lapsedProjects(state, now),
  ...expiringKeys(state, now),
  ...failingWebhooks(state, now),
];

/** Nothing has happened for a due time, two hours after it. A run that failed or still works reports by itself. */
const overdueSchedules = ({ schedules, projects, lastGood, busyProjects }: WatchedState, now: Date): readonly FailureSignal[] =>
  schedules.flatMap((schedule) => {
    const { id, name, projectId, failing, lastTick, lastSuccessAt } = schedule;
    const project = projects.find((one) => one.id === projectId);
    const due = dueTimeOf(schedule, now);
    const last = lastGood.get(projectId);
    const isSilent =
      due !== undefined &&
      !failing &&
      !busyProjects.has(projectId) &&
      (lastTick ?? '') < due &&
      (lastSuccessAt ?? '') < due &&
      (last?.createdAt ?? '') < due;
    if (!project || !isSilent) return [];
    return [
      {
        state: 'failed',
        kind: 'schedule_overdue',
        subject: { type: 'schedule', id, name },
        project: { id: project.id, name: project.name },
        at: iso(now),
        source: `${id} ${due}`,
        message: `Schedule ${name} was due at ${due}, and no backup was started`,
        facts: [{ name: 'Schedule', value: name }],
        page: `/schedules/${id}`,
      },
    ];
  });

const stalledCaptures = ({ projects, captures }: WatchedState, now: Date): readonly FailureSignal[] =>
  projects.flatMap(({ id, name }) => {
    const pitr = captures.get(id);
    const since = pitr && stalledSince(pitr, now);
    if (since === undefined) return [];
    return [
      {
        state: 'failed',
        kind: 'capture_stalled',
        subject: { type: 'project', id, name },
        project: { id, name },
        at: iso(now),
        source: `${id} capture ${since}`,
        message: `No changes of ${name} have been captured since ${since}, so that no later moment can be restored`,
        facts: [],
        page: `/projects/${id}/point-in-time`,
      },
    ];
  });

/** Since when a project has no good backup: the moment of its last one, or of its connection. */
export const unprotectedSince = ({ lastGood }: WatchedState, project: WatchedState['projects'][number]): string => {
  const last = lastGood.get(project.id);
  return last?.readTime ?? last?.completedAt ?? project.createdAt;
};

export const hasLapsed = ({ lapsedAfterHours }: Pick<AlertRecord, 'lapsedAfterHours'>, since: string, now: Date): boolean =>
  now.getTime() - Date.parse(since) >= lapsedAfterHours * 3_600_000;

/** By the alert that waits the least. The others are told when their own time has come. */
const lapsedProjects = (state: WatchedState, now: Date): readonly FailureSignal[] =>
  state.projects.flatMap((project) => {
    const { id, name } = project;
    const since = unprotectedSince(state, project);
    if (!state.alerts.some((alert) => alert.enabled && hasLapsed(alert, since, now))) return [];
    return [
      {
        state: 'failed',
        kind: 'protection_lapsed',
        subject: { type: 'project', id, name },
        project: { id, name },
        at: iso(now),
        source: `${id} protection ${since}`,
        message: state.lastGood.has(id)
          ? `The last good backup of ${name} is from ${since}`
          : `${name} has no good backup since it was connected at ${since}`,
        facts: [],
        page: `/projects/${id}`,
      },
    ];
  });

/** Those that are an incident already: counted once a day, so that a reminder follows. */
const failingWebhooks = ({ webhooks, webhookHealth }: WatchedState, now: Date): readonly FailureSignal[] =>
  [...webhooks].flatMap(([id, webhook]) =>
    signalsOfWebhook(id, { webhook, health: webhookHealth.get(id) }, now).filter((signal) => signal.state === 'failed'),
  );

/** Told when it comes near, once more shortly before, and when it has happened. */
const expiringKeys = ({ apiKeys }: WatchedState, now: Date): readonly FailureSignal[] =>
  apiKeys.flatMap((key): readonly FailureSignal[] => {
    const { id, name, expiresAt, createdBy } = key;
    const days = expiryWarningOf(key, now);
    if (days === undefined) return [];
    const message =
      days === 0
        ? `The API key ${name} expired at ${expiresAt}, and calls with it are refused`
        : `The API key ${name} expires at ${expiresAt}. Rotate or extend it, or calls with it will be refused`;
    return [
      {
        state: 'failed',
        kind: 'api_key_expiring',
        subject: { type: 'api_key', id, name },
        project: null,
        at: iso(now),
        source: `${id} ${expiresAt} ${days}`,
        isNews: true,
        ...(days === 0 && { heading: 'API key expired' }),
        message,
        facts: [{ name: 'Created by', value: createdBy.email ?? createdBy.id }],
        page: '/api-keys',
      },
    ];
  });
