/** Events as delivered to subscribers, in both formats. */
import * as z from 'zod';
import { events } from '../events/event-catalogue.ts';
import { type EventName, eventNames, isSimpleEvent } from '../events/event-names.ts';
import { simpleEvents } from '../events/simple-events.ts';
import { Moment } from '../fields.ts';
import { deliveryAttemptsMax } from '../limits.ts';
import { backupTriggers } from '../models/backup.ts';
import type { Parameter } from './components.ts';
import { outputSchema, type Schema } from './json-schema.ts';

export interface WebhookOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly [];
  readonly parameters: readonly Parameter[];
  readonly requestBody: {
    readonly required: true;
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

export const webhookOperations = (): Readonly<Record<EventName, { readonly post: WebhookOperation }>> =>
  Object.fromEntries(eventNames.map((name) => [name, { post: noticeOf(name) }])) as Record<EventName, { post: WebhookOperation }>;

const noticeOf = (name: EventName): WebhookOperation => {
  const isSimple = isSimpleEvent(name);
  const standard = standardBody(name);
  return {
    operationId: `event.${name}`,
    summary: summaries[name],
    description: isSimple ? 'Available in both formats.' : 'Available in the standard format only.',
    security: [],
    parameters: [...headersOf(standardHeaders, !isSimple), ...(isSimple ? headersOf(simpleHeaders, false) : [])],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: isSimple ? { oneOf: [standard, simpleBody(name)] } : standard } },
    },
    responses: {
      '2XX': { description: 'Received. Only the status of the response is evaluated' },
      '410': { description: 'Gone: the webhook is disabled' },
      default: {
        description: `Not received, like a timeout; redirects are not followed. Deliveries are attempted up to ${deliveryAttemptsMax} times in the standard format and once in the simple format`,
      },
    },
  };
};

const Metadata = z.object({
  trigger: z.enum(backupTriggers).nullable().describe('What started the backup, restore or schedule; null for other events'),
  scheduleId: z.string().nullable(),
  attempt: z.int().describe('Number of this attempt, from 1'),
  deliveryId: z.string().describe('The same for every attempt'),
  maxAttempts: z.int(),
  willRetry: z.boolean().describe('Whether another attempt follows if this one fails'),
});

const standardBody = (name: EventName): Schema => ({
  title: 'standard',
  ...outputSchema(
    z.object({
      id: z.string().describe('Event id, the same for every webhook'),
      type: z.literal(name),
      timestamp: Moment.describe('When the event happened, with milliseconds'),
      data: events[name],
      metadata: Metadata,
    }),
  ),
});

const simpleBody = (name: keyof typeof simpleEvents): Schema => ({
  title: 'simple',
  ...outputSchema(z.object({ event: z.literal(name), timestamp: Moment, data: simpleEvents[name] })),
});

/** Headers by name with their meaning; `?` marks those that may be absent. */
type Headers = Readonly<Record<string, string>>;

const previous = 'The same with the previous secret, during the overlap after a rotation';

const standardHeaders: Headers = {
  'X-Service-Signature': 'sha256= followed by the hex HMAC-SHA256 of <timestamp>.<raw body>, keyed with the secret',
  'X-Service-Signature-Previous?': previous,
  'X-Service-Timestamp': 'Time of this attempt in Unix seconds; reject requests that are more than 300 seconds off',
  'X-Service-Delivery-Id': 'The same for every attempt; use it to drop duplicates',
  'webhook-id': 'The delivery id, as in Standard Webhooks',
  'webhook-timestamp': 'Time of this attempt in Unix seconds',
  'webhook-signature':
    'v1, followed by the base64 HMAC-SHA256 of <id>.<timestamp>.<raw body>, keyed with the decoded part of the secret after whsec_, or with your own secret; two signatures separated by a space after a rotation',
};

const simpleHeaders: Headers = {
  'X-Webhook-Event': 'Event name',
  'X-Webhook-Timestamp': 'When the event happened, ISO 8601',
  'X-Webhook-Id': 'Id of the webhook',
  'X-Webhook-Signature?':
    'sha256= followed by the hex HMAC-SHA256 of the raw body, keyed with the secret; absent without a secret',
  'X-Webhook-Signature-Previous?': previous,
};

/** With two formats no header is required, because each format has its own. */
const headersOf = (headers: Headers, isOnlyFormat: boolean): readonly Parameter[] =>
  Object.entries(headers).map(([name, description]) => ({
    name: name.replace('?', ''),
    in: 'header',
    required: isOnlyFormat && !name.endsWith('?'),
    description,
    schema: { type: 'string' },
  }));

const summaries: Readonly<Record<EventName, string>> = {
  'backup.started': 'A backup started',
  'backup.progress': 'A backup reached another 10 %',
  'backup.completed': 'A backup was stored and verified, or imported',
  'backup.failed': 'A backup failed or was cancelled',
  'restore.started': 'A restore started',
  'restore.progress': 'A restore reached another 10 %',
  'restore.completed': 'A restore completed',
  'restore.failed': 'A restore failed or was cancelled',
  'pitr.enabled': 'Point-in-time recovery of a project was enabled',
  'pitr.disabled': 'Point-in-time recovery of a project was disabled',
  'pitr.change_captured': 'A batch of changes became restorable',
  'schedule.created': 'A schedule was created',
  'schedule.updated': 'A schedule was updated',
  'schedule.deleted': 'A schedule was deleted',
  'schedule.triggered': 'A schedule started a backup',
  'schedule.failed': 'A scheduled backup was missed or failed, or the schedule is overdue',
  'storage.connected': 'A storage destination passed its test, for the first time or again',
  'storage.error': 'A storage destination failed',
  'project.created': 'A project was connected, or moved into the organization',
  'project.deleted': 'A project was disconnected, or moved to another organization',
  'organization.created': 'The organization was created',
  'organization.updated': 'The organization was updated or recovered',
  'organization.deleted': 'The organization was deleted',
  'member.joined': 'A member joined',
  'member.left': 'A member left or was removed',
  'member.role_changed': 'The role of a member changed',
  'invitation.created': 'An invitation was created',
  'invitation.accepted': 'An invitation was accepted',
};
