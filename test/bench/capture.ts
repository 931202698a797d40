/** What it costs to capture changes: reads of the source for each changed document, and how long a write waits until it can be restored. */

import { microsOf } from '../../shared/pitr/index.ts';
import {
  assertExact,
  enable,
  newCaptureWorld,
  nextTurn,
  pass,
  pitrNow,
  put,
  server,
  time,
  untilActive,
} from '../shared/pitr/capture-world.ts';
import { fixed, goalColumns, goalRow, median, printTable, reaches, whole } from './print.ts';

const documents = 10_000;
const intervalSeconds = 60;
const intervals = 5;
const readsGoal = { must: 1.1, aim: 1.01, kind: 'most' } as const;
/** An interval, and what a turn takes. */
const delayGoal = { must: 90, aim: 65, kind: 'most' } as const;

type Precision = 'second' | 'interval';
interface Took {
  readonly changed: number;
  readonly reads: number;
  readonly delays: readonly number[];
  readonly turnMs: readonly number[];
}

/** Each second some documents are written; of those that are deleted and created there are as many as `churn` says. */
const workloads = {
  'updates, each document once': { perSecond: 10, churn: 0, spread: documents },
  'updates, the same documents again and again': { perSecond: 10, churn: 0, spread: 50 },
  'a third created, a third deleted': { perSecond: 9, churn: 3, spread: documents },
  'a few changes': { perSecond: 0.1, churn: 0, spread: documents },
} as const;

const capture = async (
  { perSecond, churn, spread }: { perSecond: number; churn: number; spread: number },
  precision: Precision,
): Promise<Took> => {
  const world = newCaptureWorld();
  for (let start = 0; start < documents; start += 500)
    await put(world, Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`users/${start + n}`, 'x'.repeat(200)])));
  await enable({ precision, captureIntervalSeconds: intervalSeconds });
  await untilActive(world);
  await nextTurn(world);
  let [next, changed] = [0, 0];
  const [delays, turnMs]: [number[], number[]] = [[], []];
  const before = pitrNow().reads;
  for (let n = 0; n < intervals; n++) {
    const touched = new Set<string>();
    const writtenAt: number[] = [];
    for (let second = 0; second < intervalSeconds; second++) {
      pass(1);
      const writes: Record<string, string | null> = {};
      for (let m = Math.floor(second * perSecond); m < Math.floor((second + 1) * perSecond); m++, next++) {
        const path = `users/${next % spread}`;
        if (m % 3 < churn / 3 && churn > 0) writes[`users/new-${next}`] = 'new';
        writes[path] = churn > 0 && m % 3 === 1 ? null : `${second}`;
      }
      for (const path of Object.keys(writes)) touched.add(path);
      if (Object.keys(writes).length > 0) await put(world, writes);
      writtenAt.push(time.ms);
    }
    const began = performance.now();
    await nextTurn(world);
    turnMs.push(performance.now() - began);
    delays.push(...writtenAt.map((at) => (time.ms - at + (turnMs.at(-1) ?? 0)) / 1_000));
    changed += touched.size;
  }
  await assertExact(world, [microsOf(pitrNow().capturedTo ?? '')]);
  return { changed, reads: pitrNow().reads - before, delays, turnMs };
};

export const measureCapture = async (): Promise<boolean> => {
  const rows: string[][] = [];
  const ratios = new Map<string, number>();
  const delays: number[] = [];
  for (const [name, workload] of Object.entries(workloads))
    for (const precision of ['interval', 'second'] as const) {
      const took = await capture(workload, precision);
      ratios.set(`${name} ${precision}`, took.reads / took.changed);
      delays.push(...took.delays);
      const perTurn = took.changed / intervals;
      rows.push([
        name,
        precision,
        whole(perTurn),
        fixed(took.reads / intervals, 0),
        fixed(took.reads / took.changed),
        fixed(median(took.turnMs), 0),
      ]);
    }
  await server.stop();
  printTable(
    `Captures every ${intervalSeconds} s of ${whole(documents)} documents`,
    ['changes', 'precision', 'documents changed', 'reads', 'reads per document', 'ms per turn'],
    rows,
  );
  const ratio = ratios.get('updates, each document once interval') ?? Number.NaN;
  const worst = Math.max(...delays);
  printTable('Goals of captures', goalColumns, [
    goalRow('reads per changed document, precision interval', ratio, readsGoal),
    goalRow('seconds from a write until it can be restored, at most', worst, delayGoal, (one) => fixed(one, 1)),
  ]);
  console.log(
    `On average a write can be restored after ${fixed(delays.reduce((sum, one) => sum + one, 0) / delays.length, 1)} s.`,
  );
  return reaches(ratio, readsGoal.must, readsGoal.kind) && reaches(worst, delayGoal.must, delayGoal.kind);
};
