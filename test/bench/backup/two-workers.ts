/** Two workers at once beside one, and beside what the machine itself gives two. */
import { fixed, goalColumns, goalRow, median, printTable, reaches } from '../print.ts';
import type { Stand } from './stand.ts';
import type { Task, Work } from './task.ts';

const rounds = 3;
/** Where both halves of a "pair of cores" are one core, two of anything give less than 1.6 of one: then its own limit is what counts. */
const goal = { must: 1.6, aim: 1.8, kind: 'least' } as const;
const ofLimitGoal = { must: 0.84, aim: 0.94, kind: 'least' } as const;

export const measureTwoWorkers = async (stand: Stand): Promise<boolean> => {
  const task = await stand.of(200_000);
  const engine = await gain(stand, 'replay', task);
  const limit = await gain(stand, 'limit-alone', task);
  printTable('Two workers', goalColumns, [
    goalRow('two workers ÷ one', engine, goal),
    ['zstd, AES and SHA-256 alone: two ÷ one', fixed(limit), '', ''],
    goalRow('the first ÷ the second', engine / limit, ofLimitGoal),
  ]);
  return reaches(engine, goal.must, goal.kind) || reaches(engine / limit, ofLimitGoal.must, ofLimitGoal.kind);
};

const gain = async (stand: Stand, work: Work, task: Task): Promise<number> => {
  const [one, other] = [stand.world.start(work), stand.world.start(work)];
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
