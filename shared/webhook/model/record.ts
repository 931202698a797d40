/** Where webhooks and their deliveries are kept. */
import type { EventName } from '../../contract/events/event-names.ts';
import type { WebhookFormat } from '../../contract/models/webhook-enums.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

export interface WebhookFilters {
  readonly projects: readonly string[];
  readonly trigger: readonly string[];
  readonly excludeTrigger: readonly string[];
}

/** A webhook as it was set up. What its endpoint does is noted elsewhere (HealthRecord), so that nobody who only sends writes here. */
export interface WebhookRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Names, `prefix.*` or `*`, each once. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly format: WebhookFormat;
  /** The secret, sealed for this organization and webhook; a simple one may have none. */
  readonly sealedSecret?: Uint8Array;
  /** The secret before the last rotation, sealed the same way, and until when it signs, too. */
  readonly previous?: { readonly sealedSecret: Uint8Array; readonly until: string };
  /** The headers, a line each, sealed the same way; absent if there are none. */
  readonly sealedHeaders?: Uint8Array;
  /** What may be shown of the headers. */
  readonly shownHeaders: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly retryEnabled: boolean;
  readonly filters: WebhookFilters;
  /** Why and when the service disabled it; gone when someone enables it. */
  readonly disabled?: { readonly reason: 'gone' | 'failing'; readonly at: string; readonly failingSince: string };
  /** One more with every change: a change that was decided on another state is decided anew. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What left the table, as deliveries carry it. */
export interface StoredEvent {
  readonly id: string;
  readonly type: EventName;
  readonly timestamp: string;
  readonly data: unknown;
}

/** What one attempt sent, with secrets masked. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly sentAt: string;
}

/** One event for one webhook. It carries the event, so that it can be sent and shown for as long as it is kept. */
export interface DeliveryRecord extends Item {
  readonly id: string;
  readonly webhookId: string;
  readonly event: StoredEvent;
  readonly status: 'attempting' | 'delivered' | 'failed';
  /** Attempts that were made, of all rounds: the first, and one for each retry by hand or replay. */
  readonly attempts: number;
  /** How many were made before this round, and how many there will be at most at its end. */
  readonly roundStart: number;
  readonly attemptsMax: number;
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  /** When the next attempt is due; null when it is finished. */
  readonly nextAttemptAt: string | null;
  /** While someone makes the next attempt; after that moment it has died. */
  readonly claimedUntil?: string;
  readonly request?: SentRequest;
  readonly isTest?: true;
  /** The replay that began this round: told again, it sends a message that may be lost, and nothing that was sent. */
  readonly replay?: string;
  readonly createdAt: string;
  readonly ttl: number;
}

/** What is known of an endpoint from its deliveries. In the partition of the deliveries: whoever sends may write there, and nowhere else. */
export interface HealthRecord extends Item {
  readonly lastTriggeredAt?: string;
  /** The first failure since the last success. */
  readonly failingSince?: string;
  /** It failed or was slow the last time: it has to wait with others of its kind. Absent of a new one, which waits there, too. */
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
  /** Leads to what was sent to a webhook that was removed, for as long as that is kept. */
  removed: ({ organizationId }: Tenant, webhookId: string): Key => ({
    pk: `ORG#${organizationId}`,
    sk: `${removedPrefix}${webhookId}`,
  }),
  /** Which replay of a webhook runs, and until when nobody else may begin one. */
  replay: ({ organizationId }: Tenant, webhookId: string): Key => ({ pk: `ORG#${organizationId}`, sk: `REPLAY#${webhookId}` }),
  /** A partition of its own for each webhook: however much is sent, the organization's own is not slowed down. */
  delivery: ({ organizationId }: Tenant, webhookId: string, deliveryId: string): Key<DeliveryRecord> => ({
    pk: `DELIVERY#${organizationId}#${webhookId}`,
    sk: deliveryId,
  }),
  health: ({ organizationId }: Tenant, webhookId: string): Key<HealthRecord> => ({
    pk: `DELIVERY#${organizationId}#${webhookId}`,
    sk: healthSk,
  }),
};
