/** `bms webhook`: notifications to your own endpoints. */
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { type ChoiceOf, webhookFormats } from '../../base/choices.ts';
import { badInput, CliFailure, refuseIfUnchanged } from '../../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { choiceOption, parseNames, parseWhole } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findProjectIds, findRecordId } from '../../context/find-resource.ts';
import { resourceCommands } from '../../context/resource-commands.ts';
import { readSecret } from '../../output/ask.ts';
import { formatDuration, formatMinute, formatTime } from '../../output/format.ts';
import type { Detail } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';
import { addWebhookDeliveryCommands } from './webhook-delivery-commands.ts';

type Webhook = DataOf<'GET /webhooks'>[number];
type WebhookWithSecret = DataOf<'GET /webhooks/{webhookId}'>;

interface WebhookOptions {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly secret?: true | undefined;
  readonly format?: ChoiceOf<typeof webhookFormats> | undefined;
  readonly projects?: readonly string[] | undefined;
}

interface CreateOptions extends WebhookOptions {
  readonly url: string;
  readonly events: readonly string[];
  readonly disable?: boolean | undefined;
}

interface UpdateOptions extends WebhookOptions {
  readonly name?: string | undefined;
  readonly allProjects?: true | undefined;
}

const addWebhookOptions = (command: Command, { isNew }: { readonly isNew: boolean }): Command => {
  const url = command.createOption('--url <url>', fieldOf('POST /webhooks', 'url'));
  const events = command.createOption('--events <names>', `${fieldOf('POST /webhooks', 'events')}; separated by commas`);
  if (!isNew) command.option('--name <name>', 'a new name');
  command
    .addOption(url.makeOptionMandatory(isNew))
    .addOption(events.argParser(parseNames).makeOptionMandatory(isNew))
    .option('--secret', 'use your own secret: typed on the terminal, or the first line of stdin')
    .option('--projects <projects>', 'only events of these, separated by commas', parseNames);
  if (isNew) command.option('--disable', 'create it disabled');
  else command.option('--all-projects', 'events of all projects');
  return command.addOption(choiceOption('--format <format>', isNew ? 'default: standard' : 'of the body', webhookFormats));
};

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

  const { addList, addShow, addSwitch, addRemove } = resourceCommands({ name: 'webhook', sample: 'Ops', group, action });
  addList({
    columns: [
      { title: 'WEBHOOK', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name, flexible: true },
      { title: 'URL', value: ({ url }) => url, flexible: true, optional: 2 },
      { title: 'STATUS', value: stateOf, style: (webhook) => statusStyle(stateOf(webhook)) },
      { title: 'LAST SENT', value: ({ lastTriggeredAt }) => formatMinute(lastTriggeredAt), optional: 1 },
    ],
    empty: 'No webhooks',
  });
  addShow(webhookDetails);

  addWebhookOptions(
    defineCommand(group, {
      name: 'create <name>',
      summary: summaryOf('POST /webhooks'),
      examples: [
        'bms webhook create Ops --url https://example.com/hook --events "backup.*,restore.failed"',
        'bms --url https://backups.example.com webhook create Ops --url https://example.com/hook --events "*"',
      ],
    }),
    { isNew: true },
  ).action(
    action(async (context, options: CreateOptions, [name = '']) => {
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
    summary: summaryOf('POST /webhooks/{webhookId}/test'),
    description: 'The exit code is 1 if the endpoint does not accept it.',
    examples: ['bms webhook test Ops', 'bms webhook test Ops --event backup.failed'],
  })
    .option('--event <event>', fieldOf('POST /webhooks/{webhookId}/test', 'event'))
    .action(
      action(async ({ client: open, output }, { event }: { readonly event?: string }, [wanted = '']) => {
        const client = await open();
        const webhookId = await findRecordId(client, 'webhook', wanted);
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
    summary: summaryOf('POST /webhooks/{webhookId}/rotate-secret'),
    examples: ['bms webhook rotate Ops --overlap-hours 24'],
  })
    .option('--overlap-hours <hours>', 'how long the old secret also signs', parseWhole)
    .action(
      action(async ({ client: open, output }, { overlapHours }: { readonly overlapHours?: number }, [wanted = '']) => {
        const client = await open();
        const webhookId = await findRecordId(client, 'webhook', wanted);
        const route = 'POST /webhooks/{webhookId}/rotate-secret';
        const webhook = await client.request(route, { params: { webhookId }, body: { overlapHours } });
        output.show(webhook, webhookId, webhookDetails(webhook));
      }),
    );

  addSwitch();
  addWebhookOptions(
    defineCommand(group, {
      name: 'update <webhook>',
      summary: summaryOf('PATCH /webhooks/{webhookId}'),
      description: '--url is the address of the webhook; that of the service precedes the command: bms --url … webhook update.',
      examples: [
        'bms webhook update Ops --events "backup.*,restore.failed"',
        'bms webhook update Ops --url https://example.com/new-hook',
        'bms webhook update Ops --all-projects',
      ],
    }),
    { isNew: false },
  ).action(
    action(async (context, options: UpdateOptions, [wanted = '']) => {
      const { name, url, events, format, projects, allProjects } = options;
      if (projects && allProjects) throw badInput('--projects and --all-projects exclude each other');
      refuseIfUnchanged({ name, url, events, format, projects, allProjects, secret: options.secret });
      const client = await context.client();
      const webhookId = await findRecordId(client, 'webhook', wanted);
      const chosen = allProjects ? [] : projects && (await findProjectIds(client, projects));
      const secret = options.secret ? await readSecret(context, 'Secret: ') : undefined;
      const body = { name, url, events, format, secret, filters: chosen && { projects: chosen } };
      const webhook = await client.request('PATCH /webhooks/{webhookId}', { params: { webhookId }, body });
      context.output.result(webhook, webhookId, `Updated ${webhook.name} (${webhookId})`);
    }),
  );
  addRemove();
  addWebhookDeliveryCommands(group, action);
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
