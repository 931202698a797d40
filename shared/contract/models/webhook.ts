/** Webhooks and deliveries in requests and responses. */
import * as z from 'zod/mini';
import { id, Moment, Name, ShownName, text } from '../fields.ts';
import { backupTriggers } from '../job-enums.ts';
import {
  webhookHeadersMax,
  webhookSecretMax,
  webhookSecretMin,
  webhookTimeoutMs,
  webhookTimeoutMsMax,
  webhookTimeoutMsMin,
  webhookUrlMax,
} from '../limits.ts';
import { deliveryStatuses, disabledReasons, webhookFormats } from './webhook-enums.ts';

const yesOrNo = z.boolean('must be true or false');
const timeoutRange = `must be a whole number of milliseconds from ${webhookTimeoutMsMin} to ${webhookTimeoutMsMax}`;

/** shared/webhook/api/webhook-input.ts validates URLs, event names and headers further. */
export const webhookFields = {
  name: Name,
  url: z
    .string('must be a valid HTTPS URL')
    .check(
      z.maxLength(webhookUrlMax, `must be at most ${webhookUrlMax} characters`),
      z.meta({ format: 'uri', examples: ['https://example.com/hooks/backups'] }),
    ),
  events: z.array(z.string(), 'must be a list of event names').check(
    z.maxLength(100, 'must have at most 100 entries'),
    z.meta({
      // webhook-input.ts rejects an empty list and returns the allowed names.
      minItems: 1,
      examples: [['backup.*', 'restore.failed']],
    }),
  ),
  secret: z
    .nullable(text(webhookSecretMax).check(z.minLength(webhookSecretMin, `must be at least ${webhookSecretMin} characters`)))
    .check(z.meta({ examples: ['a secret of your own'] })),
  enabled: yesOrNo,
  headers: z
    .pipe(
      z.unknown().check(
        // z.record would silently drop this name.
        z.refine((given) => !Object.hasOwn(Object(given), '__proto__'), {
          path: ['__proto__'],
          error: 'is not a valid header name',
        }),
      ),
      z.record(z.string(), z.string('must be a string'), 'must be an object of header names and string values'),
    )
    .check(
      z.refine((given) => Object.keys(given).length <= webhookHeadersMax, `must have at most ${webhookHeadersMax} headers`),
      z.meta({ type: 'object', additionalProperties: { type: 'string' }, examples: [{ 'X-Environment': 'production' }] }),
    ),
  timeout: z
    .int(timeoutRange)
    .check(
      z.minimum(webhookTimeoutMsMin, timeoutRange),
      z.maximum(webhookTimeoutMsMax, timeoutRange),
      z.meta({ examples: [webhookTimeoutMs] }),
    ),
  retryEnabled: yesOrNo,
  filters: z.strictObject({
    projects: z.optional(z.array(id('project')).check(z.maxLength(100, 'must have at most 100 entries'))),
    trigger: z.optional(z.array(z.enum(backupTriggers)).check(z.maxLength(backupTriggers.length))),
    excludeTrigger: z.optional(z.array(z.enum(backupTriggers)).check(z.maxLength(backupTriggers.length))),
  }),
  format: z.enum(webhookFormats),
};

export const Webhook = z.object({
  id: z.string(),
  name: ShownName,
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  format: z.enum(webhookFormats),
  headers: z.record(z.string(), z.string()),
  timeout: z.int(),
  retryEnabled: z.boolean(),
  filters: z.object({ projects: z.array(z.string()), trigger: z.array(z.string()), excludeTrigger: z.array(z.string()) }),
  disabledReason: z.nullable(z.enum(disabledReasons)),
  lastTriggeredAt: z.nullable(Moment),
  failingSince: z.nullable(Moment),
  failureCount: z.int(),
  createdAt: Moment,
  updatedAt: Moment,
});
export const WebhookWithSecret = z.extend(Webhook, {
  secret: z.nullable(z.string()),
  previousSecretExpiresAt: z.nullable(Moment),
});

const Payload = z.record(z.string(), z.unknown());

/** An event that webhooks can subscribe to, with the body of a sample request in each format. */
export const WebhookEvent = z.object({
  name: ShownName,
  description: z.string(),
  formats: z.array(z.enum(webhookFormats)),
  samples: z.object({ standard: Payload, simple: z.nullable(Payload) }),
});

export const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  status: z.enum(deliveryStatuses),
  statusCode: z.nullable(z.int()),
  timestamp: Moment,
  duration: z.nullable(z.int()),
  attempts: z.int(),
  lastError: z.optional(z.string()),
  lastAttemptAt: z.nullable(Moment),
  nextAttemptAt: z.nullable(Moment),
  test: z.optional(z.literal(true)),
});

export const DeliveryRequest = z.object({
  method: z.literal('POST'),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  sentAt: Moment,
});
