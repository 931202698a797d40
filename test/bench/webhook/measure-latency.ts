/** Latency from commit to receipt in the local stage, and the effect of dead endpoints on a live one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, type Goal, goalColumns, goalRow, median, printTable, quantile, reaches, whole } from '../print.ts';
import { child } from '../restore/target-server.ts';
import type { Took } from './stage-process.ts';

const goals = {
  receiptMs: { must: 300, aim: 150, kind: 'most' },
  cost: { must: 1.3, aim: 1.1, kind: 'most' },
} as const satisfies Record<string, Goal>;
const dead = Number(process.env.BENCH_DEAD ?? 1_000);

export const measureLatency = async (dir: string): Promise<boolean> => {
  const stageDir = join(dir, 'webhook-stage');
  mkdirSync(stageDir);
  const { aloneMs, besideHealthyMs, besideDeadMs, hung } = await child(
    'webhook/stage-process.ts',
    stageDir,
    String(dead),
  ).heard<Took>();
  const row = (name: string, times: readonly number[]) => [
    ...[name, fixed(median(times), 0), fixed(quantile(times, 0.99), 0), fixed(Math.max(...times), 0)],
  ];
  printTable(
    `From a change to its receiver in the local stage, ${aloneMs.length} changes (ms)`,
    ['', 'p50', 'p99', 'max'],
    [
      row('alone', aloneMs),
      // The work that the deliveries are for the machine, whatever becomes of them.
      row(`while ${whole(dead)} healthy endpoints get deliveries, too`, besideHealthyMs),
      row(`while ${whole(dead)} dead endpoints get deliveries, too`, besideDeadMs),
    ],
  );
  const cost = median(besideDeadMs) / median(aloneMs);
  printTable('Goals: latency', goalColumns, [
    goalRow('p50 from commit to receipt, ms', { value: median(aloneMs), goal: goals.receiptMs, show: whole }),
    goalRow(`p50 beside ${whole(dead)} dead endpoints (${whole(hung)} hung meanwhile) ÷ alone`, {
      value: cost,
      goal: goals.cost,
    }),
  ]);
  return reaches(median(aloneMs), goals.receiptMs.must, 'most') && reaches(cost, goals.cost.must, 'most');
};
