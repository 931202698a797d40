/** Deliveries per core to an HTTPS receiver in another process that keeps connections open. */
import { join } from 'node:path';
import { bundle, bundleDir } from '../../../infra/bundle/bundle.ts';
import { withoutNetwork } from '../handlers/without-network.ts';
import { fixed, type Goal, goalColumns, goalRow, median, printTable, quantile, reaches, whole } from '../print.ts';
import { child } from '../restore/target-server.ts';
import type { Order, Took, Way } from './sender-process.ts';

const goal = { must: 0.2, aim: 0.5, kind: 'least' } as const satisfies Goal;
const entry = 'functions/webhook/deliver.ts';
const rounds = 5;
const count = 2_000;
const names: Readonly<Record<Way, string>> = {
  pool: 'bare pool of undici',
  door: 'our door, composed and signed',
  function: 'the whole function, over a table',
};
const ways = Object.keys(names) as Way[];

export const measureSpeed = async (dir: string): Promise<boolean> => {
  const out = join(dir, 'webhook');
  await bundle([entry], out, { replacements: withoutNetwork });
  const receiver = child('webhook/receiver-process.ts');
  const sender = child('webhook/sender-process.ts', await receiver.heard<string>(), join(bundleDir(entry, out), 'index.cjs'));
  const took: Readonly<Record<Way, Took[]>> = { pool: [], door: [], function: [] };
  for (const way of ways) await sender.ask<Took>({ way, count: 1_000 } satisfies Order);
  for (let n = 0; n < rounds; n++) for (const way of ways) took[way].push(await sender.ask<Took>({ way, count } satisfies Order));
  sender.end();
  receiver.end();
  const of = (way: Way, what: 'perSecond' | 'perCpuSecond'): number => median(took[way].map((one) => one[what]));
  printTable(
    `Deliveries to one https receiver, ten at once, ${whole(count)} in each of ${rounds} rounds`,
    ['', 'per second', 'per second of one core', 'ten take, median ms', 'p99 ms'],
    ways.map((way) => {
      const times = took[way].flatMap((one) => one.times);
      return [
        names[way],
        whole(of(way, 'perSecond')),
        whole(of(way, 'perCpuSecond')),
        fixed(median(times)),
        fixed(quantile(times, 0.99)),
      ];
    }),
  );
  // Ratios are computed per round, so that other load on the machine cancels out.
  const share = (way: Way): number => median(took[way].map((one, n) => one.perCpuSecond / (took.pool[n]?.perCpuSecond ?? 1)));
  printTable('Goals: deliveries per core', goalColumns, [
    goalRow('door ÷ bare pool', { value: share('door'), goal }),
    goalRow('whole function ÷ bare pool', { value: share('function'), goal }),
  ]);
  return reaches(share('door'), goal.must, 'least') && reaches(share('function'), goal.must, 'least');
};
