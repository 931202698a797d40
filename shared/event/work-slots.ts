/**
 * In a small account the queue workers share a few slots, so that hanging endpoints, long tasks and bursts leave concurrency to the
 * API. Lambda cannot do it there: it accepts no reservation, and no limit of a mapping below two.
 */
import type { SQSRecord } from 'aws-lambda';
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
  /** A run of this queue begins only while fewer runs of all queues hold a slot. */
  readonly slots: number;
  /** Messages that find no slot return after this time, or up to three times as much. */
  readonly delaySeconds: number;
  /** The timeout of the function: a slot is free again by then, whatever ended the run. */
  readonly seconds: number;
}

interface SlotsRecord extends Item {
  readonly revision: number;
  /** Until when each run holds its slot. */
  readonly leases: Readonly<Record<string, string>>;
}

const key: Key<SlotsRecord> = { pk: 'SLOTS', sk: 'QUEUES' };

/** Runs `work` in a slot. Without a free one the messages return to the queue as new ones, so that no receive counts as a failure. */
export const inWorkSlot = async (
  records: readonly SQSRecord[],
  finished: Set<string>,
  work: () => Promise<void>,
): Promise<void> => {
  if (!process.env.WORK_SLOTS) return work();
  const settings = JSON.parse(process.env.WORK_SLOTS) as WorkSlots;
  const lease = await takeSlot(settings);
  if (lease === undefined) return returnMessages(records, finished, settings);
  try {
    await work();
  } finally {
    await bestEffort(
      'free the slot of a queue worker',
      changeLeases(({ [lease]: _, ...others }) => others),
    );
  }
};

const takeSlot = async ({ slots, seconds }: WorkSlots): Promise<string | undefined> => {
  const lease = newId('task', clock.now());
  let isTaken = false;
  await changeLeases((leases) => {
    isTaken = Object.keys(leases).length < slots;
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
  { delaySeconds }: WorkSlots,
): Promise<void> => {
  const messages = records.map(({ body, messageId, attributes }) => ({
    body,
    sender: attributes.MessageGroupId ?? messageId,
    delaySeconds: delaySeconds * (1 + 2 * spreadOf(messageId)),
  }));
  const refused = await sendMessages('WORK_QUEUE_URL', messages);
  for (const [n, { messageId }] of records.entries()) if (!refused.has(n)) finished.add(messageId);
  log.info('messages returned: all slots of queue workers are taken', { messages: records.length });
};

/** From 0 to 1: message ids are random, so that messages which were returned together do not come back together. */
const spreadOf = (messageId: string): number => (Number.parseInt(messageId.slice(0, 2), 16) || 0) / 0xff;
