import type { EventName } from '../../contract/events/event-names.ts';
import type { WebhookFormat } from '../../contract/models/webhook-enums.ts';
import { type DeliveryRecord, deliveryKey, type EndpointRecord, type HealthRecord } from '../../delivery/index.ts';
import type { Key, Tenant } from '../../platform/index.ts';

export interface WebhookFilters {
  readonly projects: readonly string[];
  readonly trigger: readonly string[];
  readonly excludeTrigger: readonly string[];
}

/** A webhook's configuration. Its endpoint's state is in HealthRecord, so that delivery workers need no write access here. */
export interface WebhookRecord extends EndpointRecord {
  /** As it is shown, with tokens masked. Records of before tokens were sealed hold the whole URL and no `sealedUrl`. */
  readonly url: string;
  /** The whole URL, encrypted for this organization and webhook. Absent if nothing in it is masked. */
  readonly sealedUrl?: Uint8Array;
  /** Event names, `prefix.*` or `*`, without duplicates. */
  readonly events: readonly string[];
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
export interface WebhookDeliveryRecord extends DeliveryRecord {
  readonly webhookId: string;
  readonly event: StoredEvent;
  readonly request?: SentRequest;
  readonly isTest?: true;
  /** The replay that started this round. If repeated, it sends the round's first message again, but starts no second round. */
  readonly replay?: string;
}

export const webhookPrefix = 'WEBHOOK#';
export const removedPrefix = 'REMOVED#WEBHOOK#';

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
  delivery: deliveryKey.delivery<WebhookDeliveryRecord>,
  health: deliveryKey.health<HealthRecord>,
};
