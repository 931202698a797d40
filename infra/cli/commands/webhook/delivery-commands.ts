/** `bms webhook deliveries|request|retry|replay|events`. */
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { type ChoiceOf, deliveryStatuses, replayStatuses } from '../../base/choices.ts';
import { defineCommand } from '../../base/define-command.ts';
import { choiceOption, parseMoment, parseNames } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../../context/take-some.ts';
import { formatTime } from '../../output/format.ts';
import { statusStyle } from '../../output/status-style.ts';

type Delivery = DataOf<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number];

interface ReplayOptions {
  readonly from: string;
  readonly to?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly status?: ChoiceOf<typeof replayStatuses> | undefined;
}

export const addDeliveryCommands = (group: Command, action: Action): void => {
  addLimitOptions(
    defineCommand(group, {
      name: 'deliveries <webhook>',
      summary: 'List deliveries of the last 30 days, newest first',
      examples: ['bms webhook deliveries Ops --status failed'],
    }).addOption(choiceOption('--status <status>', 'with this status', deliveryStatuses)),
  ).action(
    action(
      async (
        { client: open, output },
        options: LimitOptions & { readonly status?: ChoiceOf<typeof deliveryStatuses> },
        wanted = '',
      ) => {
        const client = await open();
        const webhookId = await findRecordId(client, 'webhook', wanted);
        const input = { params: { webhookId }, query: { status: options.status, limit: pageSize(options) } };
        async function* all(): AsyncGenerator<Delivery> {
          for await (const { data } of client.pages('GET /webhooks/{webhookId}/deliveries', input)) yield* data.deliveries;
        }
        output.list(await takeSome(all(), options, output), {
          columns: [
            { title: 'DELIVERY', value: ({ id }) => id },
            { title: 'EVENT', value: ({ eventType }) => eventType, flexible: true },
            { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
            { title: 'CODE', value: ({ statusCode }) => statusCode, align: 'right', optional: 1 },
            { title: 'AT', value: ({ timestamp }) => formatTime(timestamp)?.slice(5, 19), optional: 2 },
          ],
          idOf: ({ id }) => id,
          empty: 'No deliveries',
        });
      },
    ),
  );

  defineCommand(group, {
    name: 'request <webhook> <delivery>',
    summary: 'Show the request of the last attempt, with secrets masked',
    examples: ['bms webhook request Ops dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ client: open, output }, _, wanted = '', deliveryId = '') => {
      const client = await open();
      const params = { webhookId: await findRecordId(client, 'webhook', wanted), deliveryId };
      output.json(await client.request('GET /webhooks/{webhookId}/deliveries/{deliveryId}/request', { params }));
    }),
  );

  defineCommand(group, {
    name: 'retry <webhook> <delivery>',
    summary: 'Send a delivery once more, under the same id',
    examples: ['bms webhook retry Ops dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ client: open, output }, _, wanted = '', deliveryId = '') => {
      const client = await open();
      const params = { webhookId: await findRecordId(client, 'webhook', wanted), deliveryId };
      const result = await client.request('POST /webhooks/{webhookId}/deliveries/{deliveryId}/retry', { params });
      output.result(result, deliveryId, `Delivery ${deliveryId} is sent again`);
    }),
  );

  defineCommand(group, {
    name: 'replay <webhook>',
    summary: 'Send the events of a time range again',
    examples: ['bms webhook replay Ops --from 24h', 'bms webhook replay Ops --from 2026-11-15 --to 2026-11-16 --status all'],
  })
    .requiredOption('--from <time>', 'begin of the range; 24h is a day ago', parseMoment)
    .option('--to <time>', 'end of the range (default: now)', parseMoment)
    .option('--events <names>', 'only these, separated by commas', parseNames)
    .addOption(choiceOption('--status <status>', 'which deliveries (default: failed)', replayStatuses))
    .action(
      action(async ({ client: open, output }, { from, to, events, status }: ReplayOptions, wanted = '') => {
        const client = await open();
        const webhookId = await findRecordId(client, 'webhook', wanted);
        const body = { from, to: to ?? new Date().toISOString(), events, status };
        const result = await client.request('POST /webhooks/{webhookId}/replay', { params: { webhookId }, body });
        output.result(result, webhookId, `Replaying events from ${formatTime(result.from)} to ${formatTime(result.to)}`);
      }),
    );

  defineCommand(group, {
    name: 'events',
    summary: 'List the events that webhooks can subscribe to',
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
