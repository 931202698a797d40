/** Child process: the embedded Firestore that is backed up. */
import { startFirestore } from '../../../../infra/local/engines/firestore/index.ts';
import { fill } from './sample-database.ts';

/** Each order gets one reply, in order. */
export type Order =
  | { readonly do: 'fill'; readonly project: string; readonly count: number; readonly hasReferences: boolean }
  | { readonly do: 'delay'; readonly ms: number }
  /** Replies with the calls since the last such order, by method. */
  | { readonly do: 'calls' };

export interface Reply {
  readonly url: string;
  readonly calls: Readonly<Record<string, number>>;
}

const server = await startFirestore();
const obey = async (order: Order): Promise<void> => {
  if (order.do === 'fill')
    await fill(server.databases, { projectId: order.project, count: order.count, hasReferences: order.hasReferences });
  if (order.do !== 'delay') return;
  server.faults.clear();
  if (order.ms > 0) server.faults.add({ delayMs: order.ms, times: 1e9 });
};
process.on('message', async (order: Order) => {
  await obey(order);
  process.send?.({ url: server.url, calls: server.faults.calls } satisfies Reply);
  if (order.do === 'calls') server.faults.resetCalls();
});
process.on('disconnect', () => process.exit());
