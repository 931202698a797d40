/** Ticks records whose tick did not arrive: Scheduler was down, has no entry, or clocks went forward over the due time. */
import { idsIn } from '../contract/ids.ts';
import { queueVariables, taskMessage } from '../event/index.ts';
import {
  after,
  bestEffort,
  commit,
  getAll,
  iso,
  type QueueMessage,
  sendMessages,
  type Tenant,
  type Write,
  walk,
  withLogContext,
} from '../platform/index.ts';
import { putOffOf } from './put-off.ts';
import type { DueRecord, RecurringKind, RecurringRecord } from './record.ts';

/** Scheduler delivers within a minute, a queue within seconds. */
const graceSeconds = 180;

interface Watched {
  readonly due: number;
  readonly ticked: number;
}

/** Reads only the due items, and sends their ticks. A tick that arrives as well is ignored. */
export const watchDue = async <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  {
    tenantOf,
    now,
    send = sendAll,
  }: { readonly tenantOf: (organizationId: string) => Tenant; readonly now: Date; readonly send?: typeof sendAll | undefined },
): Promise<Watched> => {
  const range = { pk: kind.duePartition, prefix: '', from: '0', to: iso(after(now, -graceSeconds)) };
  const watched = { due: 0, ticked: 0 };
  for await (const items of pagesOf(walk<DueRecord>(range))) {
    const due = items.map((item) => ({ item, tenant: tenantOf(item.organizationId), id: item[kind.idName] ?? '' }));
    const records = await getAll(due.map(({ tenant, id }) => kind.key(tenant, id)));
    const messages = await Promise.all(
      due.map((one, n) =>
        withLogContext(idsIn(one.item), () => messagesFor(kind, { ...one, record: records[n] as R | undefined }, now)),
      ),
    );
    await send(messages.flat());
    watched.due += items.length;
    watched.ticked += messages.filter(({ length }) => length > 0).length;
  }
  return watched;
};

/** Throws unless the queue accepted all of them. */
const sendAll = async (messages: readonly QueueMessage[]): Promise<void> => {
  const refused = await sendMessages(queueVariables.schedule, messages);
  if (refused.size > 0) throw new Error(`the queue did not accept ${refused.size} of ${messages.length} schedule tasks`);
};

interface Watchable<R> {
  readonly tenant: Tenant;
  readonly id: string;
  readonly item: DueRecord;
  readonly record: R | undefined;
}

const messagesFor = async <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  { tenant, id, item, record }: Watchable<R>,
  now: Date,
): Promise<readonly QueueMessage[]> => {
  const { pk, sk, at } = item;
  if (record?.nextRunAt !== at) {
    // Provided it is not that of the next run.
    const isOutdated: Write = {
      check: kind.key(tenant, id),
      condition: 'attribute_not_exists(pk) OR nextRunAt <> :at',
      values: { ':at': at },
    };
    await bestEffort('delete an outdated due item', commit([{ remove: { pk, sk } }, isOutdated]));
    return [];
  }
  const postponed = putOffOf(record);
  // Its message is still in the queue.
  if (postponed && postponed.since > iso(after(now, -graceSeconds))) return [];
  const tick = taskMessage(tenant, { ...kind.runTask(id), at, ...(postponed && { tries: postponed.tries }) }, { now });
  // If the tick was lost, the Scheduler entries may be wrong.
  return postponed ? [tick] : [tick, taskMessage(tenant, kind.syncTask(id), { now })];
};

/** As many as one BatchGetItem reads. */
const pageItems = 100;

async function* pagesOf(items: AsyncIterable<DueRecord>): AsyncGenerator<readonly DueRecord[]> {
  let page: DueRecord[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < pageItems) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
