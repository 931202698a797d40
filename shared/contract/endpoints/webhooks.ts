import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, noBody, ShownName, When } from '../fields.ts';
import { outsideShare, overlapHours, overlapHoursMax, webhookTimeoutMs } from '../limits.ts';
import { Delivery, DeliveryRequest, Webhook, WebhookEvent, WebhookWithSecret, webhookFields } from '../models/webhook.ts';
import { deliveryStatuses, replayStatuses } from '../models/webhook-enums.ts';

const read = { role: 'viewer', scope: 'organization:read' } as const;
const manage = { role: 'admin', scope: 'organization:write' } as const;
const saves = ['table:write', 'webhook:seal'] as const;

const change = {
  access: manage,
  body: z.strictObject(z.partial(z.object(webhookFields)).shape),
  data: WebhookWithSecret,
  audit: 'webhook.updated',
  errors: ['WEBHOOK_NOT_FOUND'],
  capabilities: [...saves, 'webhook:open'],
} as const;

const overlapRange = `must be a whole number from 0 to ${overlapHoursMax}`;

export const webhooks = group('webhooks', `${apiPrefix}/webhooks`, {
  create: {
    route: 'POST',
    access: manage,
    summary: 'Create a webhook. A generated secret is shown only in this response',
    body: z.strictObject({
      ...webhookFields,
      secret: z.optional(webhookFields.secret),
      enabled: z._default(webhookFields.enabled, true),
      headers: z._default(webhookFields.headers, {}),
      timeout: z._default(webhookFields.timeout, webhookTimeoutMs),
      retryEnabled: z._default(webhookFields.retryEnabled, true),
      filters: z.prefault(webhookFields.filters, {}),
      format: z._default(webhookFields.format, 'standard'),
    }),
    data: WebhookWithSecret,
    status: 201,
    location: `${apiPrefix}/webhooks/{id}`,
    audit: 'webhook.created',
    errors: ['CONFLICT'],
    idempotent: true,
    capabilities: [...saves],
  },
  list: {
    route: 'GET',
    access: read,
    summary: 'List webhooks, newest first',
    list: Webhook,
    capabilities: ['table:read', 'webhook:open'],
  },
  events: {
    route: 'GET /events',
    access: read,
    summary: 'List the events that webhooks can subscribe to, each with a sample',
    data: z.array(WebhookEvent),
    capabilities: [],
  },
  get: {
    route: 'GET /{webhookId}',
    access: read,
    summary: 'Get a webhook; its secret is masked',
    data: WebhookWithSecret,
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:read', 'webhook:open'],
  },
  replace: { route: 'PUT /{webhookId}', summary: 'Update a webhook; only the given fields change', ...change },
  update: { route: 'PATCH /{webhookId}', summary: 'Update a webhook; only the given fields change', ...change },
  remove: {
    route: 'DELETE /{webhookId}',
    access: manage,
    summary: 'Delete a webhook; pending deliveries are not sent',
    audit: 'webhook.deleted',
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  toggle: {
    route: 'PATCH /{webhookId}/toggle',
    access: manage,
    summary: 'Enable or disable a webhook',
    body: z.strictObject({ enabled: webhookFields.enabled }),
    data: z.pick(Webhook, { id: true, enabled: true, updatedAt: true }),
    audit: 'webhook.toggled',
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:write', 'webhook:seal-url'],
  },
  rotateSecret: {
    route: 'POST /{webhookId}/rotate-secret',
    access: manage,
    summary: 'Rotate the secret. The new one is shown only in this response; the old one also signs for overlapHours',
    body: z.strictObject({
      overlapHours: z._default(
        z.int(overlapRange).check(z.minimum(0, overlapRange), z.maximum(overlapHoursMax, overlapRange)),
        overlapHours,
      ),
    }),
    bodyOptional: true,
    data: WebhookWithSecret,
    audit: 'webhook.secret_rotated',
    errors: ['WEBHOOK_NOT_FOUND'],
    idempotent: true,
    destructive: true,
    capabilities: [...saves, 'webhook:open'],
  },
  test: {
    route: 'POST /{webhookId}/test',
    access: manage,
    summary: 'Send a sample event immediately and return the outcome',
    body: z.strictObject({ event: z.optional(z.string()) }),
    bodyOptional: true,
    data: z.object({
      webhookId: z.string(),
      webhookName: ShownName,
      event: z.string(),
      url: z.string(),
      success: z.boolean(),
      statusCode: z.nullable(z.int()),
      error: z.optional(z.string()),
      duration: z.int(),
      deliveryId: z.string(),
    }),
    audit: 'webhook.tested',
    errors: ['WEBHOOK_NOT_FOUND'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'webhook:send'],
  },
  deliveries: {
    route: 'GET /{webhookId}/deliveries',
    access: read,
    summary: 'List deliveries of the last 30 days, newest first',
    query: z.strictObject({ status: z.optional(z.enum(deliveryStatuses)) }),
    data: z.object({ deliveries: z.array(Delivery) }),
    paged: true,
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  request: {
    route: 'GET /{webhookId}/deliveries/{deliveryId}/request',
    access: read,
    summary: 'Get the request of the last attempt',
    data: DeliveryRequest,
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:read'],
  },
  retry: {
    route: 'POST /{webhookId}/deliveries/{deliveryId}/retry',
    access: manage,
    summary: 'Send a delivery that has ended, failed or delivered, once more under the same id',
    ...noBody,
    data: z.object({ deliveryId: z.string(), status: z.enum(deliveryStatuses) }),
    status: 202,
    location: `${apiPrefix}/webhooks/{webhookId}/deliveries`,
    audit: 'webhook.delivery_retried',
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'CONFLICT'],
    outboundShare: outsideShare,
    idempotent: true,
    capabilities: ['table:write'],
  },
  replay: {
    route: 'POST /{webhookId}/replay',
    access: manage,
    summary: 'Replay the events of a time range, by default those whose delivery failed',
    body: z.strictObject({
      from: When,
      to: When,
      events: z.optional(webhookFields.events),
      status: z._default(z.enum(replayStatuses), 'failed'),
    }),
    data: z.object({ webhookId: z.string(), from: Moment, to: Moment, events: z.array(z.string()), status: z.string() }),
    status: 202,
    location: `${apiPrefix}/webhooks/{webhookId}/deliveries`,
    audit: 'webhook.replayed',
    errors: ['WEBHOOK_NOT_FOUND', 'CONFLICT'],
    outboundShare: outsideShare,
    idempotent: true,
    capabilities: ['table:write'],
  },
});
