/** Peak memory of a backup by its size: each in a process of its own, bundled like the function. */
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';
import type { BenchDatabases } from './bench-databases.ts';

/** The server needs two minutes and 2 GB for a million documents. */
export const isLarge = Boolean(process.env.BENCH_LARGE);
const sizes = [10_000, 100_000, 200_000, ...(isLarge ? [1_000_000] : [])];
const peakGoal = { must: 192, aim: 160, kind: 'most' } as const;
const growthGoal = { must: 1.15, aim: 1.05, kind: 'most' } as const;

export const measureMemory = async (bench: BenchDatabases): Promise<boolean> => {
  const peaks = new Map<number, number>();
  const rows: string[][] = [];
  for (const size of sizes) {
    const took = await bench.processes.once('engine', { ...(await bench.of(size)), isAlone: true });
    peaks.set(size, took.peakMib);
    rows.push([whole(size), `${fixed(took.peakMib, 0)} MiB`, whole(took.documents / took.cpuSeconds)]);
  }
  printTable('Peak memory of a backup', ['documents', 'peak RSS', 'documents per CPU second, from a cold start'], rows);
  const largest = peaks.get(Math.max(...sizes)) ?? 0;
  const growth = largest / (peaks.get(isLarge ? 200_000 : 100_000) ?? 1);
  printTable('Goals: memory', goalColumns, [
    goalRow(`peak RSS in MiB at ${whole(Math.max(...sizes))} documents`, {
      value: largest,
      goal: peakGoal,
      show: (value) => fixed(value, 0),
    }),
    goalRow(`÷ that at ${isLarge ? '200,000' : '100,000'}`, { value: growth, goal: growthGoal }),
  ]);
  if (!isLarge) console.log('BENCH_LARGE=1 measures 1,000,000 documents, too.');
  return reaches(largest, peakGoal.must, 'most') && reaches(growth, growthGoal.must, 'most');
};
