/** Starts again what has stopped, tells of what does not go on, and has removed what is too old. */

import type { Task, TaskMessage } from '../../event/index.ts';
import {
  after,
  bestEffort,
  type Clock,
  getAll,
  iso,
  newId,
  type QueueMessage,
  type sendMessages,
  set,
  type Tenant,
  updateItem,
  walk,
} from '../../platform/index.ts';
import { type CapturingRecord, capturingPartition, pitrKey } from '../model/record.ts';
import { expireEverySeconds } from '../settings/enable-pitr.ts';
import { reportStalled, shouldReportStall } from './stalled-capture.ts';

/** A queue that is busy brings a message later than it was asked to. A turn that takes longer is begun a second time: one of both counts. */
const lateSeconds = 420;
const pageRecords = 100;

export interface Watched {
  readonly captured: number;
  readonly restarted: number;
  readonly forgetting: number;
}

export interface Watching {
  readonly clock: Clock;
  /** Proves that a note of ours speaks for its organization. */
  readonly prove: (organizationId: string) => Tenant;
  readonly send: typeof sendMessages;
}

/** Looks at every project that is captured; what it sends twice does nothing the second time. */
export const watchCaptures = async ({ clock, prove, send }: Watching): Promise<Watched> => {
  const counts = { captured: 0, restarted: 0, forgetting: 0 };
  let page: CapturingRecord[] = [];
  const look = async (): Promise<void> => {
    const [late, old] = await lookAt(page, prove, clock.now());
    await sendAll(send, 'CAPTURE_QUEUE_URL', late);
    await sendAll(send, 'CHORE_QUEUE_URL', old);
    counts.captured += page.length;
    counts.restarted += late.length;
    counts.forgetting += old.length;
    page = [];
  };
  // Every sort key in it begins with a letter.
  for await (const item of walk<CapturingRecord>({ pk: capturingPartition, prefix: '', from: '0' })) {
    page.push(item);
    if (page.length === pageRecords) await look();
  }
  await look();
  return counts;
};

const lookAt = async (
  page: readonly CapturingRecord[],
  prove: Watching['prove'],
  now: Date,
): Promise<readonly [late: readonly QueueMessage[], old: readonly QueueMessage[]]> => {
  const keys = page.map(({ organizationId, projectId }) => pitrKey.pitr(prove(organizationId), projectId));
  const records = await getAll(keys);
  for (const [n, { organizationId, projectId }] of page.entries()) {
    const pitr = records[n];
    if (pitr && shouldReportStall(pitr, now))
      await bestEffort('tell that captures have stopped', reportStalled(prove(organizationId), projectId, now));
  }
  const latest = iso(after(now, -lateSeconds));
  const late = page.flatMap(({ organizationId, projectId }, n) => {
    const { nextTurnAt = null, turn = 0 } = records[n] ?? {};
    const isLate = nextTurnAt !== null && nextTurnAt < latest;
    return isLate ? [messageOf(organizationId, { kind: 'capture', projectId, turn })] : [];
  });
  const due = page.filter(({ forgetAt }) => forgetAt <= iso(now));
  await Promise.all(due.map((one) => updateItem(set(one, { forgetAt: iso(after(now, expireEverySeconds)) }))));
  return [late, due.map(({ organizationId, projectId }) => messageOf(organizationId, { kind: 'forget-captures', projectId }))];
};

export const messageOf = (organizationId: string, task: Task, delaySeconds?: number): QueueMessage => ({
  body: JSON.stringify({ id: newId('task'), organizationId, task } satisfies TaskMessage),
  sender: organizationId,
  ...(delaySeconds !== undefined && { delaySeconds }),
});

const sendAll = async (
  send: Watching['send'],
  queue: 'CAPTURE_QUEUE_URL' | 'CHORE_QUEUE_URL',
  messages: readonly QueueMessage[],
): Promise<void> => {
  if (messages.length === 0) return;
  const refused = await send(queue, messages);
  // The next run looks again.
  if (refused.size > 0) throw new Error(`${refused.size} messages were not taken`);
};
