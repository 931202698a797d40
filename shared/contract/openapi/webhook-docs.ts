/** The events, as they arrive at a subscriber in either format. */
import * as z from 'zod';
import { events } from '../events/event-catalogue.ts';
import { type EventName, eventNames, isSimpleEvent } from '../events/event-names.ts';
import { simpleEvents } from '../events/simple-events.ts';
import { Moment } from '../fields.ts';
import { deliveryAttemptsMax } from '../limits.ts';
import { backupTriggers } from '../models/backup.ts';
import type { Parameter } from './components.ts';
import { outputSchema, type Schema } from './json-schema.ts';

export interface Notice {
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

export const webhooks = (): Readonly<Record<EventName, { readonly post: Notice }>> =>
  Object.fromEntries(eventNames.map((name) => [name, { post: noticeOf(name) }])) as Record<EventName, { post: Notice }>;

const noticeOf = (name: EventName): Notice => {
  const isSimple = isSimpleEvent(name);
  const standard = standardBody(name);
  return {
    operationId: `event.${name}`,
    summary: summaries[name],
    description: isSimple ? 'In both formats.' : 'In the standard format only.',
    security: [],
    parameters: [...headersOf(standardHeaders, !isSimple), ...(isSimple ? headersOf(simpleHeaders, false) : [])],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: isSimple ? { oneOf: [standard, simpleBody(name)] } : standard } },
    },
    responses: {
      '2XX': { description: 'Received. Whatever is answered beside the status is not looked at' },
      '410': { description: 'Nobody listens here any more: the webhook is disabled' },
      default: {
        description: `Not received, as if nothing had been answered in time; redirects are not followed. The standard format is tried up to ${deliveryAttemptsMax} times, the simple format once`,
      },
    },
  };
};

const Metadata = z.object({
  trigger: z.enum(backupTriggers).nullable().describe('What began it; null where nothing did'),
  scheduleId: z.string().nullable(),
  attempt: z.int().describe('Of this delivery, from 1'),
  deliveryId: z.string().describe('The same at every attempt'),
  maxAttempts: z.int(),
  willRetry: z.boolean().describe('Whether another attempt follows if this one fails'),
});

const standardBody = (name: EventName): Schema => ({
  title: 'standard',
  ...outputSchema(
    z.object({
      id: z.string().describe('Of the event, the same for every webhook'),
      type: z.literal(name),
      timestamp: Moment.describe('When it happened, with milliseconds'),
      data: events[name],
      metadata: Metadata,
    }),
  ),
});

const simpleBody = (name: keyof typeof simpleEvents): Schema => ({
  title: 'simple',
  ...outputSchema(z.object({ event: z.literal(name), timestamp: Moment, data: simpleEvents[name] })),
});

interface Header {
  readonly description: string;
  readonly isOptional?: true;
}
type Headers = Readonly<Record<string, Header>>;

/** What a receiver of the standard format can look at. */
export const standardHeaders: Headers = {
  'X-Service-Signature': { description: 'sha256= and the hex HMAC-SHA256 of <timestamp>.<raw body>, keyed with the secret' },
  'X-Service-Signature-Previous': {
    description: 'The same, keyed with the secret before the last rotation, while that still holds',
    isOptional: true,
  },
  'X-Service-Timestamp': { description: 'Unix seconds of this attempt; refuse what is more than 300 seconds off' },
  'X-Service-Delivery-Id': { description: 'The same at every attempt: drop what you have seen' },
  'webhook-id': { description: 'The delivery id, as Standard Webhooks has it' },
  'webhook-timestamp': { description: 'Unix seconds of this attempt' },
  'webhook-signature': {
    description:
      'v1, and the base64 HMAC-SHA256 of <id>.<timestamp>.<raw body>, keyed with what follows whsec_, decoded, or with a secret of your own; two, separated by a space, after a rotation',
  },
};

/** What a receiver of the simple format can look at. */
export const simpleHeaders: Headers = {
  'X-Webhook-Event': { description: 'The name of the event' },
  'X-Webhook-Timestamp': { description: 'When it happened, ISO 8601' },
  'X-Webhook-Id': { description: 'The id of the webhook' },
  'X-Webhook-Signature': {
    description: 'sha256= and the hex HMAC-SHA256 of the raw body, keyed with the secret; only if the webhook has one',
    isOptional: true,
  },
  'X-Webhook-Signature-Previous': {
    description: 'The same, keyed with the secret before the last rotation, while that still holds',
    isOptional: true,
  },
};

/** Of two formats, neither has all headers. */
const headersOf = (headers: Headers, isOnlyFormat: boolean): readonly Parameter[] =>
  Object.entries(headers).map(([name, { description, isOptional }]) => ({
    name,
    in: 'header',
    required: isOnlyFormat && !isOptional,
    description,
    schema: { type: 'string' },
  }));

const summaries: Readonly<Record<EventName, string>> = {
  'backup.started': 'A backup has begun',
  'backup.progress': 'Another tenth of a backup is done',
  'backup.completed': 'A backup is stored and verified, or was imported',
  'backup.failed': 'A backup failed or was cancelled',
  'restore.started': 'A restore has begun',
  'restore.progress': 'Another tenth of a restore is done',
  'restore.completed': 'A restore is done',
  'restore.failed': 'A restore failed or was cancelled',
  'pitr.enabled': 'Point-in-time recovery of a project was enabled',
  'pitr.disabled': 'Point-in-time recovery of a project was disabled',
  'pitr.change_captured': 'Changes of a project can be restored from now on; many are told of at once',
  'schedule.created': 'A schedule was made',
  'schedule.updated': 'A schedule was changed',
  'schedule.deleted': 'A schedule was deleted',
  'schedule.triggered': 'A schedule has begun a backup',
  'schedule.failed': 'A scheduled backup was missed',
  'storage.connected': 'A storage destination works, for the first time or again',
  'storage.error': 'A storage destination does not work',
  'project.created': 'A project was connected, or moved here',
  'project.deleted': 'A project was disconnected, or moved away',
  'organization.created': 'The organization was made',
  'organization.updated': 'The organization was changed, or brought back',
  'organization.deleted': 'The organization was deleted',
  'member.joined': 'Someone has become a member',
  'member.left': 'Someone is no longer a member',
  'member.role_changed': 'A member has another role',
  'invitation.created': 'Someone was invited',
  'invitation.accepted': 'Someone has accepted an invitation',
};
