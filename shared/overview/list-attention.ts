/** What needs attention, most urgent first. */
import type * as z from 'zod/mini';
import type { AlertKind, AlertSeverity } from '../contract/models/alert-enums.ts';
import { type Attention, concerns as kinds } from '../contract/models/overview.ts';
import type { DestinationRecord } from '../destination/index.ts';
import type { RestoreTestRecord } from '../restore-test/index.ts';
import { type listWebhooks, webhookData } from '../webhook/index.ts';
import type { Concern } from './assess-protection.ts';
import { recentMs } from './failed-jobs.ts';
import type { ProjectState } from './project-state.ts';

interface AttentionContext {
  readonly states: readonly ProjectState[];
  readonly destinations: readonly DestinationRecord[];
  readonly restoreTests: readonly RestoreTestRecord[];
  readonly webhooks: Awaited<ReturnType<typeof listWebhooks>>['webhooks'];
  /** Open ones. */
  readonly incidents: readonly ReportedIncident[];
  readonly now: Date;
}

/** What the list says of an incident: incidents are above this folder. */
export interface ReportedIncident {
  readonly id: string;
  readonly kind: AlertKind;
  readonly severity: AlertSeverity;
  readonly title: string;
  readonly message: string;
  readonly openedAt: string;
  readonly project: { readonly id: string } | null;
  readonly subject: { readonly type: string; readonly id: string };
}

const shownMax = 100;

/** Concerns of projects, those of the organization as a whole, and open incidents that none of them shows. */
export const attentionList = (concerns: readonly Concern[], context: AttentionContext): z.input<typeof Attention>[] => {
  const { incidents } = context;
  const all = [
    ...concerns,
    ...unusedDestinations(concerns, context),
    ...failedRestores(context),
    ...failedRestoreTests(context),
    ...failingWebhooks(context),
  ];
  const others = incidents.filter((incident) => !all.some((concern) => isAbout(incident, concern)));
  return [
    ...all.map((concern) => ({ ...concern, incidentId: incidents.find((one) => isAbout(one, concern))?.id ?? null })),
    ...others.map(incidentAttention),
  ]
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, shownMax);
};

/** The kinds of incidents that report the same. */
const kindsOf: Readonly<Record<Concern['kind'], readonly AlertKind[]>> = {
  NO_BACKUP: ['protection_lapsed', 'backup_failed', 'schedule_failed'],
  PROJECT_UNAUTHORIZED: ['backup_failed', 'schedule_failed', 'capture_stalled'],
  BACKUP_DAMAGED: ['verification_failed'],
  UNUSUAL_CHANGES: ['anomaly'],
  BACKUP_OVERDUE: ['schedule_overdue', 'protection_lapsed', 'schedule_failed'],
  SCHEDULE_FAILING: ['schedule_failed', 'schedule_overdue', 'backup_failed'],
  LAST_BACKUP_FAILED: ['backup_failed', 'schedule_failed'],
  STORAGE_ERROR: ['destination_error'],
  PITR_PROBLEM: ['capture_stalled', 'capture_diverged'],
  NOT_SCHEDULED: [],
  COLLECTIONS_MISSING: [],
  RESTORE_FAILED: ['restore_failed'],
  RESTORE_TEST_FAILED: ['restore_test_failed'],
  WEBHOOK_DISABLED: ['webhook_disabled', 'webhook_failing'],
  WEBHOOK_FAILING: ['webhook_failing'],
  INCIDENT_OPEN: [],
};

/** An incident about a project or a schedule reports what concerns the project; one about a backup only what concerns that backup. */
const isAbout = ({ kind, subject, project }: ReportedIncident, { kind: concern, resource, projectId }: Concern): boolean =>
  kindsOf[concern].includes(kind) &&
  (subject.id === resource.id || (subject.type !== 'backup' && projectId !== null && project?.id === projectId));

const incidentAttention = ({ id, severity, title, message, openedAt, project }: ReportedIncident) =>
  ({
    severity: severity === 'critical' ? 'critical' : 'warning',
    kind: 'INCIDENT_OPEN',
    message: `${title}. ${message}`,
    since: openedAt,
    projectId: project?.id ?? null,
    resource: { type: 'incident', id },
    incidentId: id,
  }) as const;

/** The order of `concerns` in the contract, after the severity. */
const rankOf = ({ severity, kind }: Pick<Concern, 'severity' | 'kind'>): number =>
  (severity === 'critical' ? 0 : kinds.length) + kinds.indexOf(kind);

/** Destinations in error that no project reports. */
const unusedDestinations = (concerns: readonly Concern[], { destinations }: AttentionContext): readonly Concern[] => {
  const reported = new Set(concerns.map(({ resource }) => resource.id));
  return destinations
    .filter(({ id, status }) => status === 'error' && !reported.has(id))
    .map(({ id, name, lastError, lastTestedAt }) => ({
      severity: 'warning',
      kind: 'STORAGE_ERROR',
      message: `Storage destination ${name} is in error${lastError ? `: ${lastError.message}` : ''}`,
      since: lastError?.at ?? lastTestedAt,
      projectId: null,
      resource: { type: 'storage_destination', id },
    }));
};

/** The last restore into a project failed, and can still be resumed or undone. */
const failedRestores = ({ states, now }: AttentionContext): readonly Concern[] =>
  states.flatMap(({ project, restores }) => {
    const last = restores.find(({ dryRun }) => !dryRun);
    if (last?.status !== 'failed' || Date.parse(last.createdAt) < now.getTime() - recentMs) return [];
    return [
      {
        severity: 'warning',
        kind: 'RESTORE_FAILED',
        message: `The last restore into ${project.name} failed: ${last.error?.message ?? 'unknown error'}`,
        since: last.completedAt,
        projectId: project.id,
        resource: { type: 'restore', id: last.id },
      },
    ];
  });

/** Restore tests whose last run did not pass, or did not take place: until the next one passes, nothing proves the backups. */
const failedRestoreTests = ({ restoreTests }: AttentionContext): readonly Concern[] =>
  restoreTests.flatMap(({ id, name, projectId, enabled, lastOutcome }): readonly Concern[] => {
    if (!enabled || (lastOutcome?.status !== 'failed' && lastOutcome?.status !== 'missed')) return [];
    const what = `Restore test ${name} ${lastOutcome.status === 'failed' ? 'failed' : 'was missed'}`;
    return [
      {
        severity: 'warning',
        kind: 'RESTORE_TEST_FAILED',
        message: lastOutcome.error ? `${what}: ${lastOutcome.error.message}` : what,
        since: lastOutcome.at,
        projectId,
        resource: { type: 'restore_test', id },
      },
    ];
  });

const failingWebhooks = ({ webhooks }: AttentionContext): readonly Concern[] =>
  webhooks.flatMap(({ webhook, health }): readonly Concern[] => {
    const { id, name, enabled, disabledReason, failingSince, failureCount } = webhookData(webhook, health);
    const about = { severity: 'warning', projectId: null, resource: { type: 'webhook', id } } as const;
    if (!enabled && disabledReason !== null) {
      const why = disabledReason === 'gone' ? 'its endpoint answered 410' : 'all its deliveries failed for days';
      const message = `Webhook ${name} was disabled, because ${why}`;
      return [{ ...about, kind: 'WEBHOOK_DISABLED', message, since: webhook.disabled?.at ?? null }];
    }
    if (!enabled || failingSince === null) return [];
    const attempts = failureCount === 1 ? 'The last attempt' : `The last ${failureCount} attempts`;
    return [
      { ...about, kind: 'WEBHOOK_FAILING', message: `${attempts} to deliver to webhook ${name} failed`, since: failingSince },
    ];
  });
