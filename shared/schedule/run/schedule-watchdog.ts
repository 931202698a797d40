/** Looks after schedules whose tick did not come: the Scheduler was away, its entry was never made, or clocks went forward over it. */
import { idsIn } from '../../contract/ids.ts';
import type { TaskMessage } from '../../event/index.ts';
import {
  after,
  bestEffort,
  commit,
  getAll,
  iso,
  newId,
  type QueueMessage,
  type Tenant,
  type Write,
  walk,
  withLogContext,
} from '../../platform/index.ts';
import { type DueRecord, duePartition, type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { sendTicks, tickOf } from './postpone-tick.ts';

/** The Scheduler promises a minute; a queue takes seconds. */
const graceSeconds = 180;

export interface Watched {
  readonly due: number;
  readonly told: number;
}

/** Reads no more than what is due, and has it ticked: a tick that comes as well finds that it is done. */
export const watchSchedules = async (
  tenantOf: (organizationId: string) => Tenant,
  now: Date,
  send: typeof sendTicks = sendTicks,
): Promise<Watched> => {
  const range = { pk: duePartition, prefix: '', from: '0', to: iso(after(now, -graceSeconds)) };
  const watched = { due: 0, told: 0 };
  for await (const notes of pagesOf(walk<DueRecord>(range))) {
    const found = await getAll(notes.map((note) => scheduleKey.schedule(tenantOf(note.organizationId), note.scheduleId)));
    const messages = await Promise.all(
      notes.map((note, n) =>
        withLogContext(idsIn(note), () => look(tenantOf(note.organizationId), note, found[n] as ScheduleRecord | undefined, now)),
      ),
    );
    await send(messages.flat());
    watched.due += notes.length;
    watched.told += messages.filter(({ length }) => length > 0).length;
  }
  return watched;
};

const look = async (
  tenant: Tenant,
  note: DueRecord,
  schedule: ScheduleRecord | undefined,
  now: Date,
): Promise<readonly QueueMessage[]> => {
  const { organizationId, scheduleId, at } = note;
  if (schedule?.nextRunAt !== at) {
    await bestEffort('forget when a schedule was due', commit(forgotten(tenant, note)));
    return [];
  }
  const { putOff } = schedule;
  const waiting = putOff?.at === at ? putOff : undefined;
  // It comes again by itself.
  if (waiting && waiting.since > iso(after(now, -graceSeconds))) return [];
  return [tickOf(organizationId, scheduleId, at, waiting?.tries ?? 0, now), ...(waiting ? [] : [syncOf(note, now)])];
};

/** Whatever kept the tick away, the entries may be wrong. */
const syncOf = ({ organizationId, scheduleId }: DueRecord, now: Date): QueueMessage => {
  const task = { kind: 'sync-schedule', scheduleId } as const;
  const message: TaskMessage = { id: newId('task', now), organizationId, task };
  return { body: JSON.stringify(message), sender: organizationId };
};

/** A note of a moment that is no longer the schedule's next. */
const forgotten = (tenant: Tenant, note: DueRecord): readonly Write[] => [
  { remove: { pk: note.pk, sk: note.sk } },
  {
    check: scheduleKey.schedule(tenant, note.scheduleId),
    condition: 'attribute_not_exists(pk) OR nextRunAt <> :at',
    values: { ':at': note.at },
  },
];

/** As many as one read of their schedules takes. */
const pageNotes = 100;

async function* pagesOf(notes: AsyncIterable<DueRecord>): AsyncGenerator<readonly DueRecord[]> {
  let page: DueRecord[] = [];
  for await (const note of notes) {
    page.push(note);
    if (page.length < pageNotes) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
