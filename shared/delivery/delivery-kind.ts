import type { MetricName } from '../contract/runtime/metric-names.ts';
import type { Task } from '../event/index.ts';
import type { Tenant } from '../platform/index.ts';
import type { DeliveryRecord, DisabledReason, EndpointRecord } from './record.ts';

/** What webhooks and alerts each say of their deliveries. */
export interface DeliveryKind<E extends EndpointRecord, D extends DeliveryRecord> {
  /** What an endpoint and a delivery are called. */
  readonly endpoint: 'webhook' | 'alert';
  readonly delivery: 'delivery' | 'message';
  readonly counters: Readonly<Record<'delivered' | 'retry' | 'failed', MetricName>>;
  readonly durationMetric?: MetricName;
  /** Sends an attempt after a delay. Throws unless it was accepted. */
  sendLater(
    tenant: Tenant,
    next: {
      readonly endpoint: E;
      readonly delivery: D;
      readonly attempt: number;
      readonly delaySeconds: number;
      readonly now: Date;
    },
  ): Promise<void>;
  /** Undefined if the endpoint is never disabled. */
  disableTask(endpoint: E, failure: { readonly reason: DisabledReason; readonly failingSince: string }): Task | undefined;
  /** Reports that the endpoint began to fail, keeps failing or works again. Undefined if no one is to know. */
  healthTask?(endpoint: E): Task;
  /** Runs after the last attempt of a round was recorded. */
  onEnd?(
    tenant: Tenant,
    delivery: D,
    end: { readonly status: 'delivered' | 'failed'; readonly error: string | null; readonly now: Date },
  ): Promise<void>;
}
