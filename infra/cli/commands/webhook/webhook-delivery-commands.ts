/** `bms webhook deliveries|request|retry|replay|events`. */
import type { Command } from 'commander';
import { type ChoiceOf, deliveryStatuses, replayStatuses } from '../../base/choices.ts';
import { defineCommand } from '../../base/define-command.ts';
import { choiceOption, parseMoment, parseNames } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { addDeliveryCommands } from '../../context/delivery-commands.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { formatTime } from '../../output/format.ts';
import { statusStyle } from '../../output/status-style.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';

interface ReplayOptions {
  readonly from: string;
  readonly to?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly status?: ChoiceOf<typeof replayStatuses> | undefined;
}

export const addWebhookDeliveryCommands = (group: Command, action: Action): void => {
  addDeliveryCommands(group, action, {
    sender: 'webhook',
    noun: 'Delivery',
    statuses: Object.keys(deliveryStatuses),
    columns: [
      { title: 'DELIVERY', value: ({ id }) => id },
      { title: 'EVENT', value: ({ eventType }) => eventType, flexible: true },
      { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
      { title: 'CODE', value: ({ statusCode }) => statusCode, align: 'right', optional: 1 },
      { title: 'AT', value: ({ timestamp }) => formatTime(timestamp)?.slice(5, 19), optional: 2 },
    ],
  });

  defineCommand(group, {
    name: 'request <webhook> <delivery>',
    summary: summaryOf('GET /webhooks/{webhookId}/deliveries/{deliveryId}/request'),
    examples: ['bms webhook request Ops dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ client: open, output }, _, [wanted = '', deliveryId = '']) => {
      const client = await open();
      const params = { webhookId: await findRecordId(client, 'webhook', wanted), deliveryId };
      output.json(await client.request('GET /webhooks/{webhookId}/deliveries/{deliveryId}/request', { params }));
    }),
  );

  defineCommand(group, {
    name: 'replay <webhook>',
    summary: summaryOf('POST /webhooks/{webhookId}/replay'),
    examples: ['bms webhook replay Ops --from 24h', 'bms webhook replay Ops --from 2026-11-15 --to 2026-11-16 --status all'],
  })
    .requiredOption('--from <time>', 'begin of the range; 24h is a day ago', parseMoment)
    .option('--to <time>', 'end of the range (default: now)', parseMoment)
    .option('--events <names>', `${fieldOf('POST /webhooks/{webhookId}/replay', 'events')}; separated by commas`, parseNames)
    .addOption(choiceOption('--status <status>', 'which deliveries (default: failed)', replayStatuses))
    .action(
      action(async ({ client: open, output }, { from, to, events, status }: ReplayOptions, [wanted = '']) => {
        const client = await open();
        const webhookId = await findRecordId(client, 'webhook', wanted);
        const body = { from, to: to ?? new Date().toISOString(), events, status };
        const result = await client.request('POST /webhooks/{webhookId}/replay', { params: { webhookId }, body });
        output.result(result, webhookId, `Replaying events from ${formatTime(result.from)} to ${formatTime(result.to)}`);
      }),
    );

  defineCommand(group, {
    name: 'events',
    summary: summaryOf('GET /webhooks/events'),
    examples: ['bms webhook events', 'bms webhook events --json'],
  }).action(
    action(async ({ client: open, output }) => {
      output.list(await (await open()).request('GET /webhooks/events'), {
        columns: [
          { title: 'EVENT', value: ({ name }) => name },
          { title: 'WHEN', value: ({ description }) => description, flexible: true },
        ],
        idOf: ({ name }) => name,
        empty: 'No events',
      });
    }),
  );
};
