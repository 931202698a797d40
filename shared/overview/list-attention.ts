/** What needs attention, most urgent first. */
import { concerns as kinds } from '../contract/models/overview.ts';
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
  readonly now: Date;
}

const shownMax = 100;

/** Concerns of projects, and those of the organization as a whole. */
export const attentionList = (concerns: readonly Concern[], context: AttentionContext): Concern[] =>
  [
    ...concerns,
    ...unusedDestinations(concerns, context),
    ...failedRestores(context),
    ...failedRestoreTests(context),
    ...failingWebhooks(context),
  ]
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, shownMax);

/** The order of `concerns` in the contract, after the severity. */
const rankOf = ({ severity, kind }: Concern): number => (severity === 'critical' ? 0 : kinds.length) + kinds.indexOf(kind);

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
