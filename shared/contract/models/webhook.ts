/** What a webhook and a delivery are, to whoever looks at them. */
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

/** What of it is checked further needs more than a shape: addresses, names of events, headers (shared/webhook/api/webhook-input.ts). */
export const webhookFields = {
  name: Name,
  url: z
    .string('must be a valid HTTPS URL')
    .max(webhookUrlMax, `must be at most ${webhookUrlMax} characters`)
    .meta({ format: 'uri', examples: ['https://example.com/hooks/backups'] }),
  events: z
    .array(z.string(), 'must be a list of names of events')
    .max(100, 'must have at most 100 entries')
    .meta({
      description: 'Exact names, a prefix such as backup.*, or *',
      // An empty list is refused with the names that could be in it, which a shape does not know.
      minItems: 1,
      examples: [['backup.*', 'restore.failed']],
    }),
  secret: text(webhookSecretMax)
    .min(webhookSecretMin, `must be at least ${webhookSecretMin} characters`)
    .nullable()
    .meta({ description: 'Null takes that of a simple webhook away', examples: ['a secret of your own'] }),
  enabled: yesOrNo,
  headers: z
    .unknown()
    // The record below drops this name without a word.
    .refine((given) => !Object.hasOwn(Object(given), '__proto__'), {
      path: ['__proto__'],
      error: 'cannot be the name of a header',
    })
    .pipe(z.record(z.string(), z.string('must be a text'), 'must be an object of names and texts'))
    .refine((given) => Object.keys(given).length <= webhookHeadersMax, `must be at most ${webhookHeadersMax} headers`)
    .meta({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Sent with every delivery',
      examples: [{ 'X-Environment': 'production' }],
    }),
  timeout: z
    .int(timeoutRange)
    .min(webhookTimeoutMsMin, timeoutRange)
    .max(webhookTimeoutMsMax, timeoutRange)
    .meta({ description: 'Milliseconds for one request', examples: [webhookTimeoutMs] }),
  retryEnabled: yesOrNo.describe('Whether a failed delivery of the standard format is tried again'),
  filters: z
    .strictObject({
      projects: z.array(id('project')).max(100, 'must have at most 100 entries').optional(),
      trigger: z.array(z.enum(backupTriggers)).max(backupTriggers.length).optional(),
      excludeTrigger: z.array(z.enum(backupTriggers)).max(backupTriggers.length).optional(),
    })
    .describe('Only events of these projects, and only or not of backups begun by these; an empty list is no filter'),
  format: z.enum(webhookFormats),
};

export const Webhook = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  format: z.enum(webhookFormats),
  headers: z.record(z.string(), z.string()).describe('Values that look like credentials are masked'),
  timeout: z.int().describe('Milliseconds'),
  retryEnabled: z.boolean(),
  filters: z.object({
    projects: z.array(z.string()),
    trigger: z.array(z.string()),
    excludeTrigger: z.array(z.string()),
  }),
  disabledReason: z.enum(disabledReasons).nullable().describe('Why the service disabled it'),
  lastTriggeredAt: Moment.nullable(),
  createdAt: Moment,
  updatedAt: Moment,
});
export const WebhookWithSecret = Webhook.extend({
  secret: z
    .string()
    .nullable()
    .describe('Masked; in clear only in the answer that made it. Null where a simple webhook has none'),
  previousSecretExpiresAt: Moment.nullable().describe('Until then the secret before the last rotation signs, too'),
});

export const Delivery = z.object({
  id: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  status: z.enum(deliveryStatuses),
  statusCode: z.int().nullable().describe('Of the last attempt; null where nothing was answered'),
  timestamp: Moment.describe('When the event happened'),
  duration: z.int().nullable().describe('Milliseconds of the last attempt'),
  attempts: z.int(),
  lastError: z.string().optional(),
  lastAttemptAt: Moment.nullable(),
  nextAttemptAt: Moment.nullable(),
  test: z.literal(true).optional().describe('It was asked for by a test'),
});

export const DeliveryRequest = z.object({
  method: z.literal('POST'),
  url: z.string(),
  headers: z.record(z.string(), z.string()).describe('As sent; signatures and what looks like a credential are masked'),
  body: z.string().describe('The bytes that were sent'),
  sentAt: Moment,
});
