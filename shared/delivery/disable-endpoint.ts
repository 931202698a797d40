/** Disables an endpoint that answered that it is gone, or has failed for days. */
import { auditNote, systemAudit } from '../audit/index.ts';
import type { MetricName } from '../contract/runtime/metric-names.ts';
import { enqueue, type Task } from '../event/index.ts';
import { organizationKey, whileActive } from '../organization/index.ts';
import { commit, emitMetric, getAll, iso, type Key, log, StaleReadError, set, type Tenant } from '../platform/index.ts';
import { hasFailedTooLong } from './endpoint-health.ts';
import { type DisabledReason, deliveryKey, type EndpointRecord } from './record.ts';

interface Disabling<E extends EndpointRecord> {
  readonly kind: 'webhook' | 'alert';
  readonly id: string;
  readonly key: Key<E>;
  readonly failure: {
    readonly reason: DisabledReason;
    readonly failingSince: string;
    /** The revision that the failed attempt used. */
    readonly revision: number;
  };
  /** What the audit entry says of the endpoint. */
  readonly describe: (endpoint: E) => Readonly<Record<string, unknown>>;
  readonly notify: Task;
  readonly metric: MetricName;
  readonly now: Date;
}

/**
 * Does nothing if, since the failed attempt, a delivery succeeded or the endpoint was changed, disabled or deleted. If it still
 * fails, the next final failure sends the task again.
 */
export const disableEndpoint = async <E extends EndpointRecord>(
  tenant: Tenant,
  { kind, id, key, failure, describe, notify, metric, now }: Disabling<E>,
): Promise<void> => {
  const { reason, failingSince, revision } = failure;
  const [organization, found, health] = await getAll([organizationKey.organization(tenant), key, deliveryKey.health(tenant, id)]);
  const endpoint = found as E | undefined;
  // The first success clears the failures; an endpoint that is gone stays so.
  const isDue =
    endpoint?.enabled && endpoint.revision === revision && (reason === 'gone' || hasFailedTooLong(health?.failingSince, now));
  try {
    if (!organization || organization.deletedAt || !isDue) throw new StaleReadError();
    const disabled = { reason, at: iso(now), failingSince };
    await commit([
      set(
        key,
        { enabled: false, disabled, revision: revision + 1, updatedAt: iso(now) },
        { expected: { enabled: true, revision }, onConditionFailed: () => new StaleReadError() },
      ),
      whileActive(tenant),
      systemAudit(`${kind}-sender`, {
        action: `${kind}.disabled`,
        note: auditNote(tenant, { type: kind, id, details: { ...describe(endpoint), reason, failingSince } }),
        now,
      }),
      enqueue(tenant, notify, now),
    ]);
    emitMetric(`${kind} disabled`, { [metric]: 1 });
  } catch (error) {
    // The endpoint was changed before or concurrently.
    if (!(error instanceof StaleReadError)) throw error;
    log.info(`${kind} not disabled`, { [`${kind}Id`]: id, reason });
  }
};
