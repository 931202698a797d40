/** `deliveries` and `retry`, which alerts and webhooks have in common. */
import type { Command } from 'commander';
import type { Client, DataOf, Route } from '../../../shared/client/index.ts';
import { defineCommand } from '../base/define-command.ts';
import type { ListView } from '../output/output.ts';
import { summaryOf } from '../texts/contract-text.ts';
import type { Action } from './context.ts';
import { composed, findRecordId, type Resource, resources } from './find-resource.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from './take-some.ts';

interface Deliveries {
  readonly alert: DataOf<'GET /alerts/{alertId}/deliveries'>['deliveries'][number];
  readonly webhook: DataOf<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number];
}
type Sender = keyof Deliveries;

interface DeliveryText<S extends Sender> {
  readonly sender: S;
  /** What is delivered. */
  readonly noun: 'Message' | 'Delivery';
  readonly statuses: readonly string[];
  readonly columns: ListView<Deliveries[S]>['columns'];
}

export const addDeliveryCommands = <S extends Sender>(
  group: Command,
  action: Action,
  { sender, noun, statuses, columns }: DeliveryText<S>,
): void => {
  const { path, param }: Resource = resources[sender];
  const list = `GET ${path}/{${param}}/deliveries`;
  const retry = `POST ${path}/{${param}}/deliveries/{deliveryId}/retry`;

  const deliveries = defineCommand(group, {
    name: `deliveries <${sender}>`,
    summary: summaryOf(list as Route),
    examples: [`bms ${group.name()} deliveries Ops --status failed`],
  });
  addLimitOptions(
    deliveries.addOption(deliveries.createOption('--status <status>', 'with this status').choices(statuses)),
  ).action(
    action(async ({ client: open, output }, options: LimitOptions & { readonly status?: string }, [wanted = '']) => {
      const client = await open();
      const params = { [param]: await findRecordId(client, sender, wanted) };
      const found = deliveriesIn<S>(client, list, { params, query: { status: options.status, limit: pageSize(options) } });
      const empty = `No ${noun === 'Delivery' ? 'deliveries' : 'messages'}`;
      output.list(await takeSome(found, options, output), { columns, idOf: ({ id }) => id, empty });
    }),
  );

  defineCommand(group, {
    name: `retry <${sender}> <delivery>`,
    summary: summaryOf(retry as Route),
    examples: [`bms ${group.name()} retry Ops dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD`],
  }).action(
    action(async ({ client: open, output }, _, [wanted = '', deliveryId = '']) => {
      const client = await open();
      const params = { [param]: await findRecordId(client, sender, wanted), deliveryId };
      output.result(await composed(client).request(retry, { params }), deliveryId, `${noun} ${deliveryId} is sent again`);
    }),
  );
};

async function* deliveriesIn<S extends Sender>(client: Client, route: string, input: object): AsyncGenerator<Deliveries[S]> {
  type Pages = AsyncIterable<{ readonly data: { readonly deliveries: readonly Deliveries[S][] } }>;
  const pages = client.pages as unknown as (route: string, input: object) => Pages;
  for await (const { data } of pages(route, input)) yield* data.deliveries;
}
