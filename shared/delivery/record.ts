/** What webhooks and alerts have in common: an endpoint, the deliveries to it, and its health. */
import type { deliveryStatuses, disabledReasons } from '../contract/models/webhook-enums.ts';
import type { Item, Key, Tenant } from '../platform/index.ts';

export type DisabledReason = (typeof disabledReasons)[number];

/** A webhook or an alert. */
export interface EndpointRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Set when the service disabled it; removed when it is enabled. */
  readonly disabled?: { readonly reason: DisabledReason; readonly at: string; readonly failingSince: string };
  /** Incremented by every change: the optimistic lock. */
  readonly revision: number;
}

/** One message for one endpoint. */
export interface DeliveryRecord extends Item {
  readonly id: string;
  /** `skipped`: a later step of the same job was delivered first. */
  readonly status: (typeof deliveryStatuses)[number];
  /** Attempts made, over all rounds. The first round, every manual retry and every replay is a round. */
  readonly attempts: number;
  /** Attempts made before this round, and the maximum after it. */
  readonly roundStart: number;
  readonly attemptsMax: number;
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  /** When the next attempt is due; null once the delivery has ended. */
  readonly nextAttemptAt: string | null;
  /** The end of the lease on the next attempt. A worker that has not recorded it by then has crashed. */
  readonly claimedUntil?: string;
  readonly createdAt: string;
  readonly ttl: number;
}

/** The state of an endpoint. In the partition of the deliveries, the only one that delivery workers may write. */
export interface HealthRecord extends Item {
  readonly lastTriggeredAt?: string;
  /** The first failure since the last success. */
  readonly failingSince?: string;
  /** Failed attempts since the last success; absent in records of earlier versions. */
  readonly failureCount?: number;
  /** Failed or was slow last time, so a webhook uses the retry queue. Absent for a new endpoint, which uses it, too. */
  readonly isSlow?: boolean;
  readonly ttl: number;
}

const partitionOf = ({ organizationId }: Tenant, endpointId: string): string => `DELIVERY#${organizationId}#${endpointId}`;

/** One partition per endpoint, so that deliveries do not slow down the organization's own partition. */
export const deliveryKey = {
  delivery: <D extends DeliveryRecord>(tenant: Tenant, endpointId: string, deliveryId: string): Key<D> => ({
    pk: partitionOf(tenant, endpointId),
    sk: deliveryId,
  }),
  health: <H extends HealthRecord>(tenant: Tenant, endpointId: string): Key<H> => ({
    pk: partitionOf(tenant, endpointId),
    sk: 'HEALTH',
  }),
};
