/** Events as delivered to subscribers, in both formats. */
import { type EventName, eventNames, isSimpleEvent } from '../events/event-names.ts';
import { eventSummaries } from '../events/event-summaries.ts';
import { deliveryAttemptsMax } from '../limits.ts';
import type { Parameter } from './components.ts';
import { simpleBodies, standardBodies } from './event-bodies.ts';
import { referTo, type Schema } from './json-schema.ts';

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
  const standard = referTo(standardBodies[name], 'output');
  return {
    operationId: `event.${name}`,
    summary: eventSummaries[name],
    description: isSimple ? 'Available in both formats.' : 'Available in the standard format only.',
    security: [],
    parameters: [...headersOf(standardHeaders, !isSimple), ...(isSimple ? headersOf(simpleHeaders, false) : [])],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: isSimple ? { oneOf: [standard, referTo(simpleBodies[name], 'output')] } : standard },
      },
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
  'X-Service-Test?': 'true if the test endpoint sent it; not covered by the signature, unlike metadata.test',
  'webhook-signature':
    'v1, followed by the base64 HMAC-SHA256 of <id>.<timestamp>.<raw body>, keyed with the decoded part of the secret after whsec_, or with your own secret; two signatures separated by a space after a rotation',
};

const simpleHeaders: Headers = {
  'X-Webhook-Event': 'Event name',
  'X-Webhook-Timestamp': 'When the event happened, ISO 8601',
  'X-Webhook-Id': 'Id of the webhook',
  'X-Webhook-Test?': 'true if the test endpoint sent it',
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
