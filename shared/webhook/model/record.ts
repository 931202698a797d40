import type { EventName } from '../../contract/events/event-names.ts';
import type { deliveryStatuses, WebhookFormat } from '../../contract/models/webhook-enums.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

export interface WebhookFilters {
  readonly projects: readonly string[];
  readonly trigger: readonly string[];
  readonly excludeTrigger: readonly string[];
}

/** A webhook's configuration. Its endpoint's state is in HealthRecord, so that delivery workers need no write access here. */
export interface WebhookRecord extends Item {
  readonly id: string;
  readonly name: string;
  /** As it is shown, with tokens masked. Records of before tokens were sealed hold the whole URL and no `sealedUrl`. */
  readonly url: string;
  /** The whole URL, encrypted for this organization and webhook. Absent if nothing in it is masked. */
  readonly sealedUrl?: Uint8Array;
  /** Event names, `prefix.*` or `*`, without duplicates. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly format: WebhookFormat;
  /** Encrypted for this organization and webhook. Optional in the simple format. */
  readonly sealedSecret?: Uint8Array;
  /** The secret before the last rotation, which also signs until then. */
  readonly previous?: { readonly sealedSecret: Uint8Array; readonly until: string };
  /** Custom headers, one per line, encrypted like the secret. Absent if there are none. */
  readonly sealedHeaders?: Uint8Array;
  /** The custom headers with credentials masked. */
  readonly shownHeaders: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly retryEnabled: boolean;
  readonly filters: WebhookFilters;
  /** Set when the service disabled the webhook; removed when it is enabled. */
  readonly disabled?: { readonly reason: 'gone' | 'failing'; readonly at: string; readonly failingSince: string };
  /** Incremented by every change: the optimistic lock. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StoredEvent {
  readonly id: string;
  readonly type: EventName;
  readonly timestamp: string;
  readonly data: unknown;
  /** Of the call that caused the event. */
  readonly requestId?: string;
}

/** The request of one attempt, with secrets masked. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly sentAt: string;
}

/** One event for one webhook. Contains the event, so that it can be sent and shown for as long as the record is kept. */
export interface DeliveryRecord extends Item {
  readonly id: string;
  readonly webhookId: string;
  readonly event: StoredEvent;
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
  readonly request?: SentRequest;
  readonly isTest?: true;
  /** The replay that started this round. If repeated, it sends the round's first message again, but starts no second round. */
  readonly replay?: string;
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
  /** Failed or was slow last time, so it uses the retry queue. Absent for a new endpoint, which uses it, too. */
  readonly isSlow?: boolean;
  readonly ttl: number;
}

export const webhookPrefix = 'WEBHOOK#';
export const removedPrefix = 'REMOVED#WEBHOOK#';
const healthSk = 'HEALTH';

export const webhookKey = {
  webhook: ({ organizationId }: Tenant, webhookId: string): Key<WebhookRecord> => ({
    pk: `ORG#${organizationId}`,
    sk: `${webhookPrefix}${webhookId}`,
  }),
  /** Leads to the deliveries of a deleted webhook for as long as they are kept. */
  removed: ({ organizationId }: Tenant, webhookId: string): Key => ({
    pk: `ORG#${organizationId}`,
    sk: `${removedPrefix}${webhookId}`,
  }),
  /** The replay lock of a webhook. */
  replay: ({ organizationId }: Tenant, webhookId: string): Key => ({ pk: `ORG#${organizationId}`, sk: `REPLAY#${webhookId}` }),
  /** One partition per webhook, so that deliveries do not slow down the organization's own partition. */
  delivery: ({ organizationId }: Tenant, webhookId: string, deliveryId: string): Key<DeliveryRecord> => ({
    pk: `DELIVERY#${organizationId}#${webhookId}`,
    sk: deliveryId,
  }),
  health: ({ organizationId }: Tenant, webhookId: string): Key<HealthRecord> => ({
    pk: `DELIVERY#${organizationId}#${webhookId}`,
    sk: healthSk,
  }),
};
