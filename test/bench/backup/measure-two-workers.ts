/** Two workers at once compared with one, and with the machine's limit for two processes. */
import { fixed, goalColumns, goalRow, median, printTable, reaches } from '../print.ts';
import type { BenchDatabases } from './bench-databases.ts';
import type { Task, Work } from './bench-processes.ts';

const rounds = 3;
/** Two hyper-threads of one core give less than 1.6 times the work of one: then the machine's own limit is the goal. */
const goal = { must: 1.6, aim: 1.8, kind: 'least' } as const;
const ofLimitGoal = { must: 0.84, aim: 0.94, kind: 'least' } as const;

export const measureTwoWorkers = async (bench: BenchDatabases): Promise<boolean> => {
  const task = await bench.of(200_000);
  const engine = await gain(bench, 'replay', task);
  const limit = await gain(bench, 'core-limit-alone', task);
  printTable('Two workers', goalColumns, [
    goalRow('two workers ÷ one', { value: engine, goal }),
    ['zstd, AES and SHA-256 alone: two ÷ one', fixed(limit), '', ''],
    goalRow('first ÷ second', { value: engine / limit, goal: ofLimitGoal }),
  ]);
  return reaches(engine, goal.must, goal.kind) || reaches(engine / limit, ofLimitGoal.must, ofLimitGoal.kind);
};

const gain = async (bench: BenchDatabases, work: Work, task: Task): Promise<number> => {
  const [one, other] = [bench.processes.start(work), bench.processes.start(work)];
  const gains: number[] = [];
  await Promise.all([one.run(task), other.run(task)]);
  for (let round = 0; round < rounds; round++) {
    const { workSeconds: alone = 0 } = await one.run(task);
    const both = await Promise.all([one.run(task), other.run(task)]);
    gains.push((2 * alone) / Math.max(...both.map(({ workSeconds = 0 }) => workSeconds)));
  }
  one.end();
  other.end();
  return median(gains);
};
