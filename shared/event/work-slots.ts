/**
 * In a small account the queue workers share a few slots, so that hanging endpoints, long tasks and bursts leave concurrency to the
 * API. Lambda cannot do it there: it accepts no reservation, and no limit of a mapping below two.
 */
import type { SQSRecord } from 'aws-lambda';
import { logLines } from '../contract/runtime/alarm-log-lines.ts';
import {
  absentOr,
  after,
  bestEffort,
  clock,
  commit,
  get,
  type Item,
  iso,
  type Key,
  log,
  newId,
  retryOnConflict,
  StaleReadError,
  sendMessages,
  type Write,
} from '../platform/index.ts';

/** `WORK_SLOTS` of the template. */
interface WorkSlots {
  readonly queue: string;
  /** A run of this queue begins only while fewer runs of all queues hold a slot, */
  readonly slots: number;
  /** and fewer of this queue. */
  readonly ownMax: number;
  /** How many instead of `slots` for an urgent message, and for one that has been returned for so long. */
  readonly urgent?: { readonly slots: number; readonly afterSeconds: number };
  /** Messages that find no slot return after this time, or up to three times as much. */
  readonly delaySeconds: number;
  /** The timeout of the function: a slot is free again by then, whatever ended the run. */
  readonly seconds: number;
  /** A message that waits longer for a slot raises an alarm. */
  readonly waitMaxSeconds: number;
  /** SQS dead-letters a message that was received so often. */
  readonly receivesMax: number;
}

/** What a queue knows of a message before it runs: `drop` if the work would do nothing. */
export type Priority = 'usual' | 'urgent' | 'drop';
export type PriorityOf = (record: SQSRecord) => Promise<Priority>;

interface SlotsRecord extends Item {
  readonly revision: number;
  /** Until when each run holds its slot; the names begin with the queue. */
  readonly leases: Readonly<Record<string, string>>;
}

const key: Key<SlotsRecord> = { pk: 'SLOTS', sk: 'QUEUES' };

/**
 * Runs `work` for the messages in a slot. Without a free one they return to the queue as new ones, so that no receive counts as a
 * failure.
 */
export const inWorkSlot = async (
  records: readonly SQSRecord[],
  {
    finished,
    work,
    priorityOf = async () => 'usual',
  }: {
    readonly finished: Set<string>;
    readonly work: (records: readonly SQSRecord[]) => Promise<void>;
    readonly priorityOf?: PriorityOf | undefined;
  },
): Promise<void> => {
  if (!process.env.WORK_SLOTS) return work(records);
  const settings = JSON.parse(process.env.WORK_SLOTS) as WorkSlots;
  const judged = await Promise.all(records.map(async (record) => ({ record, priority: await priorityOf(record) })));
  for (const { record, priority } of judged) if (priority === 'drop') finished.add(record.messageId);
  const kept = judged.filter(({ priority }) => priority !== 'drop');
  if (kept.length === 0) return;
  const { slots, urgent = { slots, afterSeconds: 0 } } = settings;
  const isUrgent = kept.some(({ record, priority }) => priority === 'urgent' || waitedSeconds(record) > urgent.afterSeconds);
  const messages = kept.map(({ record }) => record);
  const lease = await takeSlot(settings, isUrgent ? urgent.slots : slots);
  if (lease === undefined) return returnMessages(messages, finished, settings);
  try {
    await work(messages);
  } finally {
    await bestEffort(
      'free the slot of a queue worker',
      changeLeases(({ [lease]: _, ...others }) => others),
    );
  }
};

const takeSlot = async ({ queue, ownMax, seconds }: WorkSlots, slots: number): Promise<string | undefined> => {
  const own = `${queue}#`;
  const lease = `${own}${newId('task', clock.now())}`;
  let isTaken = false;
  await changeLeases((leases) => {
    const held = Object.keys(leases);
    isTaken = held.length < slots && held.filter((name) => name.startsWith(own)).length < ownMax;
    return isTaken ? { ...leases, [lease]: iso(after(clock.now(), seconds)) } : undefined;
  });
  return isTaken ? lease : undefined;
};

type Leases = SlotsRecord['leases'];

/** `change` gets the leases that hold, and returns undefined to leave them. */
const changeLeases = (change: (leases: Leases) => Leases | undefined): Promise<void> =>
  retryOnConflict({ attempts: 20, jitterMs: 50 }, async () => {
    const { revision = 0, leases = {} } = (await get(key)) ?? {};
    const now = iso(clock.now());
    const changed = change(Object.fromEntries(Object.entries(leases).filter(([, until]) => until > now)));
    if (changed) await commit([leasesWrite(revision, changed)]);
  });

const leasesWrite = (revision: number, leases: Leases): Write => ({
  put: { ...key, revision: revision + 1, leases },
  ...absentOr({ revision }),
  onConditionFailed: () => new StaleReadError(),
});

const returnMessages = async (
  records: readonly SQSRecord[],
  finished: Set<string>,
  { queue, delaySeconds, waitMaxSeconds, receivesMax }: WorkSlots,
): Promise<void> => {
  // Otherwise SQS would never dead-letter a message that always fails: it counts the receives of a new message from zero.
  const returned = records.filter((record) => failedReceives(record) < receivesMax - 1);
  const messages = returned.map((record) => ({
    body: record.body,
    sender: record.attributes.MessageGroupId ?? record.messageId,
    delaySeconds: delaySeconds * (1 + 2 * spreadOf(record.messageId)),
    attributes: { [waitsSince]: String(waitingSince(record)), [failedBefore]: String(failedReceives(record)) },
  }));
  const refused = messages.length > 0 ? await sendMessages('WORK_QUEUE_URL', messages) : new Set();
  for (const [n, { messageId }] of returned.entries()) if (!refused.has(n)) finished.add(messageId);
  const waited = Math.round(Math.max(...records.map(waitedSeconds)));
  log.info('messages returned: all slots of queue workers are taken', { queue, messages: records.length, waitedSeconds: waited });
  if (waited > waitMaxSeconds) log.warn(logLines.slotAwaited, { queue, waitedSeconds: waited });
};

/** Attributes of a returned message. */
const waitsSince = 'WaitsSince';
const failedBefore = 'FailedBefore';

const numberIn = ({ messageAttributes }: SQSRecord, name: string): number | undefined => {
  const text = messageAttributes[name]?.stringValue;
  return text === undefined ? undefined : Number(text);
};

/** When the first of the messages that returned was first received, in ms. When it was sent says less: a message may be delayed. */
const waitingSince = (record: SQSRecord): number =>
  numberIn(record, waitsSince) ?? Number(record.attributes.ApproximateFirstReceiveTimestamp);

const waitedSeconds = (record: SQSRecord): number => (clock.now().getTime() - waitingSince(record)) / 1_000;

/** Receives before this one that ended in no other way than in a failure. */
const failedReceives = (record: SQSRecord): number =>
  (numberIn(record, failedBefore) ?? 0) + Number(record.attributes.ApproximateReceiveCount) - 1;

/** From 0 to 1: message ids are random, so that messages which were returned together do not come back together. */
const spreadOf = (messageId: string): number => (Number.parseInt(messageId.slice(0, 2), 16) || 0) / 0xff;
