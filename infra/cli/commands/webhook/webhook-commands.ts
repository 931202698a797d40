/** `bms webhook`: notifications to your own endpoints. */
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { type ChoiceOf, webhookFormats } from '../../base/choices.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { collectAll } from '../../base/collect-all.ts';
import { defineCommand, defineGroup, defineList } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { choiceOption, parseNames, parseWhole } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findProjectIds, findWebhookId } from '../../context/find-resource.ts';
import { readSecret } from '../../output/ask.ts';
import { formatDuration, formatMinute, formatTime } from '../../output/format.ts';
import type { Detail } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { addDeliveryCommands } from './delivery-commands.ts';
import { addWebhookChangeCommands } from './webhook-change-commands.ts';

type Webhook = DataOf<'GET /webhooks'>[number];
type WebhookWithSecret = DataOf<'GET /webhooks/{webhookId}'>;

interface CreateOptions {
  readonly url: string;
  readonly events: readonly string[];
  readonly secret?: true | undefined;
  readonly format?: ChoiceOf<typeof webhookFormats> | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly disable?: boolean | undefined;
}

export const addWebhookCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'webhook',
    aliases: ['webhooks'],
    summary: 'Create, change and test webhooks, and see their deliveries',
    examples: [
      'bms webhook ls',
      'bms webhook create Ops --url https://example.com/hook --events "backup.*"',
      'bms webhook test Ops',
    ],
  });

  defineList(group, { summary: 'List webhooks', examples: ['bms webhook ls'] }).action(
    action(async ({ client: open, output }) => {
      const found = await collectAll((await open()).list('GET /webhooks', { query: { limit: 100 } }));
      output.list<Webhook>(found, {
        columns: [
          { title: 'WEBHOOK', value: ({ id }) => id },
          { title: 'NAME', value: ({ name }) => name, flexible: true },
          { title: 'URL', value: ({ url }) => url, flexible: true, optional: 2 },
          { title: 'STATUS', value: stateOf, style: (webhook) => statusStyle(stateOf(webhook)) },
          { title: 'LAST SENT', value: ({ lastTriggeredAt }) => formatMinute(lastTriggeredAt), optional: 1 },
        ],
        idOf: ({ id }) => id,
        empty: 'No webhooks',
      });
    }),
  );

  defineCommand(group, {
    name: 'show <webhook>',
    aliases: ['get'],
    summary: 'Show a webhook; its secret is masked',
    examples: ['bms webhook show Ops'],
  }).action(
    action(async ({ client: open, output }, _, wanted = '') => {
      const client = await open();
      const webhookId = await findWebhookId(client, wanted);
      const webhook = await client.request('GET /webhooks/{webhookId}', { params: { webhookId } });
      output.show(webhook, webhookId, webhookDetails(webhook));
    }),
  );

  defineCommand(group, {
    name: 'create <name>',
    summary: 'Create a webhook; a generated secret is shown only now',
    examples: [
      'bms webhook create Ops --url https://example.com/hook --events "backup.*,restore.failed"',
      'bms --url https://backups.example.com webhook create Ops --url https://example.com/hook --events "*"',
    ],
  })
    .requiredOption('--url <url>', 'the HTTPS address that receives the events')
    .requiredOption('--events <names>', 'events such as backup.failed or backup.*, separated by commas', parseNames)
    .option('--secret', 'use your own secret: typed on the terminal, or the first line of stdin')
    .option('--projects <projects>', 'only events of these, separated by commas', parseNames)
    .option('--disable', 'create it disabled')
    .addOption(choiceOption('--format <format>', 'default: standard', webhookFormats))
    .action(
      action(async (context, options: CreateOptions, name = '') => {
        const client = await context.client();
        const { url, events, format } = options;
        const projects = await findProjectIds(client, options.projects);
        const webhook = await client.request('POST /webhooks', {
          body: {
            name,
            url,
            events,
            format,
            enabled: options.disable ? false : undefined,
            filters: projects.length > 0 ? { projects } : undefined,
            secret: options.secret ? await readSecret(context, 'Secret: ') : undefined,
          },
        });
        context.output.show(webhook, webhook.id, webhookDetails(webhook));
      }),
    );

  defineCommand(group, {
    name: 'test <webhook>',
    summary: 'Send a sample event now',
    description: 'The exit code is 1 if the endpoint does not accept it.',
    examples: ['bms webhook test Ops', 'bms webhook test Ops --event backup.failed'],
  })
    .option('--event <event>', 'which event (default: one that it subscribes to)')
    .action(
      action(async ({ client: open, output }, { event }: { readonly event?: string }, wanted = '') => {
        const client = await open();
        const webhookId = await findWebhookId(client, wanted);
        const result = await client.request('POST /webhooks/{webhookId}/test', { params: { webhookId }, body: { event } });
        const answer = result.statusCode === null ? '' : `, status ${result.statusCode}`;
        if (result.success || output.isJson)
          output.result(result, result.deliveryId, `Delivered ${result.event}${answer}, ${formatDuration(result.duration)}`);
        if (!result.success)
          throw new CliFailure(
            exitCodes.failed,
            `${result.event} was not delivered${answer}: ${result.error ?? 'no reason given'}`,
          );
      }),
    );

  defineCommand(group, {
    name: 'rotate <webhook>',
    aliases: ['rotate-secret'],
    summary: 'Rotate the secret; the new one is shown only now',
    examples: ['bms webhook rotate Ops --overlap-hours 24'],
  })
    .option('--overlap-hours <hours>', 'how long the old secret also signs', parseWhole)
    .action(
      action(async ({ client: open, output }, { overlapHours }: { readonly overlapHours?: number }, wanted = '') => {
        const client = await open();
        const webhookId = await findWebhookId(client, wanted);
        const route = 'POST /webhooks/{webhookId}/rotate-secret';
        const webhook = await client.request(route, { params: { webhookId }, body: { overlapHours } });
        output.show(webhook, webhookId, webhookDetails(webhook));
      }),
    );

  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    defineCommand(group, {
      name: `${name} <webhook>`,
      summary: `${name === 'enable' ? 'Enable' : 'Disable'} a webhook`,
      examples: [`bms webhook ${name} Ops`],
    }).action(
      action(async ({ client: open, output }, _, wanted = '') => {
        const client = await open();
        const webhookId = await findWebhookId(client, wanted);
        const webhook = await client.request('PATCH /webhooks/{webhookId}/toggle', { params: { webhookId }, body: { enabled } });
        output.result(webhook, webhookId, `Webhook ${webhookId} is ${enabled ? 'enabled' : 'disabled'}`);
      }),
    );

  addWebhookChangeCommands(group, action);
  addDeliveryCommands(group, action);
};

const stateOf = ({ enabled, failingSince }: Webhook): string => (!enabled ? 'disabled' : failingSince ? 'failed' : 'enabled');

const webhookDetails = (webhook: WebhookWithSecret): readonly Detail[] => [
  ['Webhook', webhook.id],
  ['Name', webhook.name],
  ['URL', webhook.url],
  ['Events', webhook.events.join(', ')],
  ['Status', stateOf(webhook), statusStyle(stateOf(webhook))],
  ['Disabled', webhook.disabledReason],
  ['Failing since', formatTime(webhook.failingSince)],
  ['Format', webhook.format],
  ['Secret', webhook.secret],
  ['Old secret until', formatTime(webhook.previousSecretExpiresAt)],
  ['Projects', webhook.filters.projects.join(', ')],
  ['Last sent', formatTime(webhook.lastTriggeredAt)],
];
