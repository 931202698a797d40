/** `bms alert deliveries|retry`. */
import type { Command } from 'commander';
import type { DataOf, InputOf } from '../../../../shared/client/index.ts';
import { attemptStatuses } from '../../../../shared/contract/models/webhook-enums.ts';
import { defineCommand } from '../../base/define-command.ts';
import type { Action } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../../context/take-some.ts';
import { formatMinute } from '../../output/format.ts';
import { statusStyle } from '../../output/status-style.ts';

type DeliveryQuery = NonNullable<InputOf<'GET /alerts/{alertId}/deliveries'>['query']>;
type Delivery = DataOf<'GET /alerts/{alertId}/deliveries'>['deliveries'][number];

export const addAlertDeliveryCommands = (group: Command, action: Action): void => {
  const deliveries = defineCommand(group, {
    name: 'deliveries <alert>',
    summary: 'List messages of the last 30 days, newest first',
    examples: ['bms alert deliveries Ops --status failed'],
  });
  addLimitOptions(
    deliveries.addOption(deliveries.createOption('--status <status>', 'with this status').choices(attemptStatuses)),
  ).action(
    action(async ({ client: open, output }, options: LimitOptions & Pick<DeliveryQuery, 'status'>, wanted = '') => {
      const client = await open();
      const alertId = await findRecordId(client, 'alert', wanted);
      const input = { params: { alertId }, query: { status: options.status, limit: pageSize(options) } };
      async function* all(): AsyncGenerator<Delivery> {
        for await (const { data } of client.pages('GET /alerts/{alertId}/deliveries', input)) yield* data.deliveries;
      }
      output.list(await takeSome(all(), options, output), {
        columns: [
          { title: 'DELIVERY', value: ({ id }) => id },
          { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
          { title: 'CREATED (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 1 },
          { title: 'MESSAGE', value: ({ title }) => title, flexible: true },
        ],
        idOf: ({ id }) => id,
        empty: 'No messages',
      });
    }),
  );

  defineCommand(group, {
    name: 'retry <alert> <delivery>',
    summary: 'Send a message once more, under the same id',
    examples: ['bms alert retry Ops dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ client: open, output }, _, wanted = '', deliveryId = '') => {
      const client = await open();
      const params = { alertId: await findRecordId(client, 'alert', wanted), deliveryId };
      const result = await client.request('POST /alerts/{alertId}/deliveries/{deliveryId}/retry', { params });
      output.result(result, deliveryId, `Message ${deliveryId} is sent again`);
    }),
  );
};
