/** Ticks schedules whose tick did not arrive: Scheduler was down, has no entry, or clocks went forward over the due time. */
import { idsIn } from '../../contract/ids.ts';
import { queueVariables, taskMessage } from '../../event/index.ts';
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
} from '../../platform/index.ts';
import { type DueRecord, dueSchedulesPartition, type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { tickTask } from './postpone-tick.ts';

/** Scheduler delivers within a minute, a queue within seconds. */
const graceSeconds = 180;

interface Watched {
  readonly due: number;
  readonly ticked: number;
}

/** Reads only the due items, and sends their ticks. A tick that arrives as well is ignored. */
export const watchSchedules = async (
  tenantOf: (organizationId: string) => Tenant,
  now: Date,
  send: typeof sendAll = sendAll,
): Promise<Watched> => {
  const range = { pk: dueSchedulesPartition, prefix: '', from: '0', to: iso(after(now, -graceSeconds)) };
  const watched = { due: 0, ticked: 0 };
  for await (const items of pagesOf(walk<DueRecord>(range))) {
    const schedules = await getAll(items.map((item) => scheduleKey.schedule(tenantOf(item.organizationId), item.scheduleId)));
    const messages = await Promise.all(
      items.map((item, n) =>
        withLogContext(idsIn(item), () => messagesFor(tenantOf(item.organizationId), item, schedules[n], now)),
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

const messagesFor = async (
  tenant: Tenant,
  item: DueRecord,
  schedule: ScheduleRecord | undefined,
  now: Date,
): Promise<readonly QueueMessage[]> => {
  const { scheduleId, at } = item;
  if (schedule?.nextRunAt !== at) {
    await bestEffort('delete an outdated due item', commit(deleteOutdated(tenant, item)));
    return [];
  }
  const postponed = schedule.putOff?.at === at ? schedule.putOff : undefined;
  // Its message is still in the queue.
  if (postponed && postponed.since > iso(after(now, -graceSeconds))) return [];
  const tick = taskMessage(tenant, tickTask(scheduleId, at, postponed?.tries ?? 0), { now });
  // If the tick was lost, the Scheduler entries may be wrong.
  return postponed ? [tick] : [tick, taskMessage(tenant, { kind: 'sync-schedule', scheduleId }, { now })];
};

/** Deletes a due item, provided it is not that of the schedule's next run. */
const deleteOutdated = (tenant: Tenant, { pk, sk, scheduleId, at }: DueRecord): readonly Write[] => [
  { remove: { pk, sk } },
  {
    check: scheduleKey.schedule(tenant, scheduleId),
    condition: 'attribute_not_exists(pk) OR nextRunAt <> :at',
    values: { ':at': at },
  },
];

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
