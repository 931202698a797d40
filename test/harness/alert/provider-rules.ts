/** What each provider accepts, as documented: the body of a request is valid if its list of errors is empty. */
import { createRequire } from 'node:module';
import { Ajv2020, type SchemaObject } from '@redocly/ajv/dist/2020.js';
import type { AlertWebChannel } from '../../../shared/alert/message/index.ts';

// The package's modules are for bundlers; Node loads its bundle.
const cards = createRequire(import.meta.url)('adaptivecards/dist/adaptivecards.js') as typeof import('adaptivecards');

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength, pattern: '\\S' });
const object = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
});
const list = (items: object, maxItems: number) => ({ type: 'array', minItems: 1, maxItems, items });
const url = (maxLength: number) => ({ type: 'string', pattern: '^https?://[^\\s]+$', maxLength });

const plainText = (maxLength: number) =>
  object({ type: { const: 'plain_text' }, text: text(maxLength) }, { emoji: { type: 'boolean' } });
const mrkdwn = (maxLength: number) =>
  object({ type: { const: 'mrkdwn' }, text: text(maxLength) }, { verbatim: { type: 'boolean' } });
const anyText = (maxLength: number) => ({ oneOf: [plainText(maxLength), mrkdwn(maxLength)] });

/** https://docs.slack.dev/reference/block-kit/blocks */
const slack = object({
  text: text(40_000),
  blocks: list(
    {
      oneOf: [
        object({ type: { const: 'header' }, text: plainText(150) }),
        object({ type: { const: 'section' }, text: anyText(3_000) }),
        object({ type: { const: 'section' }, fields: list(anyText(2_000), 10) }),
        object({ type: { const: 'context' }, elements: list(anyText(3_000), 10) }),
        object({
          type: { const: 'actions' },
          elements: list(object({ type: { const: 'button' }, text: plainText(75), action_id: text(255), url: url(3_000) }), 25),
        }),
      ],
    },
    50,
  ),
});

/** https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook; the card itself is validated by Microsoft's own library. */
const teams = object({
  type: { const: 'message' },
  attachments: list(
    object({
      contentType: { const: 'application/vnd.microsoft.card.adaptive' },
      contentUrl: { type: 'null' },
      content: { type: 'object' },
    }),
    1,
  ),
});

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const discord = object({
  embeds: list(
    object({
      title: text(256),
      description: text(4_096),
      url: url(2_048),
      color: { type: 'integer', minimum: 0, maximum: 0xffffff },
      fields: {
        type: 'array',
        maxItems: 25,
        items: object({ name: text(256), value: text(1_024), inline: { type: 'boolean' } }),
      },
      footer: object({ text: text(2_048) }),
      timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
    }),
    10,
  ),
  allowed_mentions: object({ parse: { type: 'array', maxItems: 0 } }),
});

const event = { routing_key: { type: 'string', pattern: '^[A-Za-z0-9_-]{32}$' }, dedup_key: text(255) };
/** https://developer.pagerduty.com/docs/events-api-v2/trigger-events/ */
const pagerduty = {
  oneOf: [
    object(
      {
        ...event,
        event_action: { const: 'trigger' },
        payload: object(
          { summary: text(1_024), source: text(1_024), severity: { enum: ['critical', 'error', 'warning', 'info'] } },
          {
            timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT' },
            component: text(1_024),
            group: text(1_024),
            class: text(1_024),
            custom_details: { type: 'object' },
          },
        ),
      },
      { links: list(object({ href: url(2_048), text: text(1_024) }), 100), client: text(1_024), client_url: url(2_048) },
    ),
    object({ ...event, event_action: { enum: ['acknowledge', 'resolve'] } }),
  ],
};

/** `unicode: false` counts UTF-16 units: at least as strict as any provider. */
const ajv = new Ajv2020({ allErrors: true, strict: false, unicode: false });
const schemas = { slack, teams, discord, pagerduty } satisfies Record<AlertWebChannel, SchemaObject>;
const validators = Object.fromEntries(Object.entries(schemas).map(([channel, schema]) => [channel, ajv.compile(schema)]));

const bytesMax: Readonly<Record<AlertWebChannel, number>> = {
  slack: 1_000_000,
  teams: 28_000,
  discord: 1_000_000,
  pagerduty: 512_000,
};

export const providerErrors = (channel: AlertWebChannel, body: string): readonly string[] => {
  const json: unknown = JSON.parse(body);
  const validate = validators[channel];
  const bytes = Buffer.byteLength(body);
  return [
    ...(bytes > bytesMax[channel] ? [`${bytes} bytes`] : []),
    ...(validate?.(json) ? [] : (validate?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)),
    ...(channel === 'teams' ? cardErrors(json) : []),
    ...(channel === 'discord' ? embedTotalErrors(json) : []),
  ];
};

/** The version that our cards name. Teams supports up to 1.5. */
const cardVersion = new cards.Version(1, 4);

/** Parses the card with validation. What the library does not write out again it has ignored: an unknown or invalid property. */
const cardErrors = (json: unknown): readonly string[] => {
  const { content } = (json as { attachments: { content: { msteams?: unknown } }[] }).attachments[0] ?? {};
  const { msteams: _, ...given } = content ?? {};
  const context = new cards.SerializationContext(cardVersion);
  const card = new cards.AdaptiveCard();
  card.parse(given, context);
  return [
    ...Array.from({ length: context.eventCount }, (_item, index) => context.getEventAt(index).message),
    ...card.validateProperties().validationEvents.map(({ message }) => message),
    ...unknownPaths(given, JSON.parse(JSON.stringify(card.toJSON(new cards.SerializationContext(cardVersion))))),
  ];
};

const unknownPaths = (given: unknown, understood: unknown, path = ''): readonly string[] => {
  if (typeof given !== 'object' || given === null) {
    return String(given).toLowerCase() === String(understood).toLowerCase() ? [] : [`${path} is not understood`];
  }
  return Object.entries(given).flatMap(([key, value]) =>
    unknownPaths(value, (understood as Record<string, unknown> | undefined)?.[key], `${path}/${key}`),
  );
};

const embedTotalErrors = (json: unknown): readonly string[] => {
  type Embed = { title: string; description: string; footer: { text: string }; fields: { name: string; value: string }[] };
  const total = (json as { embeds: Embed[] }).embeds
    .flatMap(({ title, description, footer, fields }) => [
      title,
      description,
      footer.text,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ])
    .reduce((sum, { length }) => sum + length, 0);
  return total > 6_000 ? [`the embed has ${total} characters`] : [];
};
