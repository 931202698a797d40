/** Webhooks and deliveries in requests and responses. */
import * as z from 'zod';
import { id, Moment, Name, text } from '../fields.ts';
import {
  webhookHeadersMax,
  webhookSecretMax,
  webhookSecretMin,
  webhookTimeoutMs,
  webhookTimeoutMsMax,
  webhookTimeoutMsMin,
  webhookUrlMax,
} from '../limits.ts';
import { backupTriggers } from './backup.ts';
import { deliveryStatuses, disabledReasons, webhookFormats } from './webhook-enums.ts';

const yesOrNo = z.boolean('must be true or false');
const timeoutRange = `must be a whole number of milliseconds from ${webhookTimeoutMsMin} to ${webhookTimeoutMsMax}`;

/** shared/webhook/api/webhook-input.ts validates URLs, event names and headers further. */
export const webhookFields = {
  name: Name,
  url: z
    .string('must be a valid HTTPS URL')
    .max(webhookUrlMax, `must be at most ${webhookUrlMax} characters`)
    .meta({ format: 'uri', examples: ['https://example.com/hooks/backups'] }),
  events: z
    .array(z.string(), 'must be a list of event names')
    .max(100, 'must have at most 100 entries')
    .meta({
      // webhook-input.ts rejects an empty list and returns the allowed names.
      minItems: 1,
      examples: [['backup.*', 'restore.failed']],
    }),
  secret: text(webhookSecretMax)
    .min(webhookSecretMin, `must be at least ${webhookSecretMin} characters`)
    .nullable()
    .meta({ examples: ['a secret of your own'] }),
  enabled: yesOrNo,
  headers: z
    .unknown()
    // z.record would silently drop this name.
    .refine((given) => !Object.hasOwn(Object(given), '__proto__'), { path: ['__proto__'], error: 'is not a valid header name' })
    .pipe(z.record(z.string(), z.string('must be a string'), 'must be an object of header names and string values'))
    .refine((given) => Object.keys(given).length <= webhookHeadersMax, `must have at most ${webhookHeadersMax} headers`)
    .meta({ type: 'object', additionalProperties: { type: 'string' }, examples: [{ 'X-Environment': 'production' }] }),
  timeout: z
    .int(timeoutRange)
    .min(webhookTimeoutMsMin, timeoutRange)
    .max(webhookTimeoutMsMax, timeoutRange)
    .meta({ examples: [webhookTimeoutMs] }),
  retryEnabled: yesOrNo,
  filters: z.strictObject({
    projects: z.array(id('project')).max(100, 'must have at most 100 entries').optional(),
    trigger: z.array(z.enum(backupTriggers)).max(backupTriggers.length).optional(),
    excludeTrigger: z.array(z.enum(backupTriggers)).max(backupTriggers.length).optional(),
  }),
  format: z.enum(webhookFormats),
};

export const Webhook = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  format: z.enum(webhookFormats),
  headers: z.record(z.string(), z.string()),
  timeout: z.int(),
  retryEnabled: z.boolean(),
  filters: z.object({ projects: z.array(z.string()), trigger: z.array(z.string()), excludeTrigger: z.array(z.string()) }),
  disabledReason: z.enum(disabledReasons).nullable(),
  lastTriggeredAt: Moment.nullable(),
  failingSince: Moment.nullable(),
  failureCount: z.int(),
  createdAt: Moment,
  updatedAt: Moment,
});
export const WebhookWithSecret = Webhook.extend({ secret: z.string().nullable(), previousSecretExpiresAt: Moment.nullable() });

const Payload = z.record(z.string(), z.unknown());

/** An event that webhooks can subscribe to, with the body of a sample request in each format. */
export const WebhookEvent = z.object({
  name: z.string(),
  description: z.string(),
  formats: z.array(z.enum(webhookFormats)),
  samples: z.object({ standard: Payload, simple: Payload.nullable() }),
});

export const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  status: z.enum(deliveryStatuses),
  statusCode: z.int().nullable(),
  timestamp: Moment,
  duration: z.int().nullable(),
  attempts: z.int(),
  lastError: z.string().optional(),
  lastAttemptAt: Moment.nullable(),
  nextAttemptAt: Moment.nullable(),
  test: z.literal(true).optional(),
});

export const DeliveryRequest = z.object({
  method: z.literal('POST'),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  sentAt: Moment,
});
