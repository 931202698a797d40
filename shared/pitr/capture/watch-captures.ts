/** Restarts stopped captures, starts audits that are due, reports stalled ones, and enqueues the expiry of old captures. */
import { queueVariables, taskMessage } from '../../event/index.ts';
import {
  after,
  bestEffort,
  type Clock,
  getAll,
  iso,
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

/** A busy queue delivers late. A cycle that takes longer is started twice, and only one of the two can commit. */
const lateSeconds = 420;
const pageRecords = 100;

interface WatchdogDeps {
  readonly clock: Clock;
  readonly tenantOf: (organizationId: string) => Tenant;
  readonly send: typeof sendMessages;
}

/** Checks every captured project. Its messages are idempotent. */
export const watchCaptures = async ({ clock, tenantOf, send }: WatchdogDeps) => {
  const counts = { captured: 0, restarted: 0, audited: 0, expiring: 0 };
  let page: CapturingRecord[] = [];
  const checkPage = async (): Promise<void> => {
    const { late, audits, expiring } = await messagesFor(page, tenantOf, clock.now());
    await sendAll(send, 'capture', late);
    await sendAll(send, 'captureAudit', audits);
    await sendAll(send, 'bucketWork', expiring);
    counts.captured += page.length;
    counts.restarted += late.length;
    counts.audited += audits.length;
    counts.expiring += expiring.length;
    page = [];
  };
  // Every sort key begins with a letter.
  for await (const item of walk<CapturingRecord>({ pk: capturingPartition, prefix: '', from: '0' })) {
    page.push(item);
    if (page.length === pageRecords) await checkPage();
  }
  await checkPage();
  return counts;
};

const messagesFor = async (
  page: readonly CapturingRecord[],
  tenantOf: WatchdogDeps['tenantOf'],
  now: Date,
): Promise<Readonly<Record<'late' | 'audits' | 'expiring', readonly QueueMessage[]>>> => {
  const records = await getAll(page.map(({ organizationId, projectId }) => pitrKey.pitr(tenantOf(organizationId), projectId)));
  for (const [n, { organizationId, projectId }] of page.entries()) {
    const pitr = records[n];
    if (pitr && shouldReportStall(pitr, now))
      await bestEffort('report a stalled capture', reportStalled(tenantOf(organizationId), projectId, now));
  }
  const latest = iso(after(now, -lateSeconds));
  const late = page.flatMap((item, n) => {
    const { nextTurnAt = null, turn = 0 } = records[n] ?? {};
    const isLate = nextTurnAt !== null && nextTurnAt < latest;
    return isLate ? [taskMessage(item, { kind: 'capture', projectId: item.projectId, turn })] : [];
  });
  // Of several messages only one reads: a step is leased.
  const audits = page.flatMap((item, n) => {
    const { status, auditDueAt = '' } = records[n] ?? {};
    const isDue = status === 'active' && auditDueAt <= iso(now);
    return isDue ? [taskMessage(item, { kind: 'audit-captures', projectId: item.projectId })] : [];
  });
  const due = page.filter(({ forgetAt }) => forgetAt <= iso(now));
  await Promise.all(due.map((item) => updateItem(set(item, { forgetAt: iso(after(now, expireEverySeconds)) }))));
  const expiring = due.map((item) => taskMessage(item, { kind: 'expire-captures', projectId: item.projectId }));
  return { late, audits, expiring };
};

const sendAll = async (
  send: WatchdogDeps['send'],
  queue: 'capture' | 'captureAudit' | 'bucketWork',
  messages: readonly QueueMessage[],
): Promise<void> => {
  if (messages.length === 0) return;
  const refused = await send(queueVariables[queue], messages);
  // The next run checks again.
  if (refused.size > 0) throw new Error(`the queue did not accept ${refused.size} of ${messages.length} capture tasks`);
};
