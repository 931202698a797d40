/** Cost of point-in-time capture: source reads per changed document, and the time until a write can be restored. */

import { microsOf } from '../../../shared/pitr/index.ts';
import {
  assertExact,
  batches,
  type CaptureWorld,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  put,
  runNextCycle,
  server,
  time,
  untilActive,
} from '../../harness/env/capture-env.ts';
import { listen } from '../../harness/env/continuous-capture-env.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';

const documents = 10_000;
const intervalSeconds = 60;
const intervals = 5;
const readsGoal = { must: 1.1, aim: 1.01, kind: 'most' } as const;
/** One interval plus the duration of a cycle. */
const delayGoal = { must: 90, aim: 65, kind: 'most' } as const;

type Precision = 'second' | 'interval';

interface Workload {
  readonly perSecond: number;
  /** Documents written in one commit. */
  readonly atOnce: number;
  /** Number of distinct documents; they are written in rotation. */
  readonly spread: number;
  /** Every second write is a deletion. */
  readonly isChurn?: true;
}

/** Commits happen at random times. */
const workloads: Readonly<Record<string, Workload>> = {
  '100 documents a second': { perSecond: 100, atOnce: 1, spread: documents },
  '20 documents a second': { perSecond: 20, atOnce: 1, spread: documents },
  '20 a second, created and deleted': { perSecond: 20, atOnce: 1, spread: documents, isChurn: true },
  'one document every 10 s': { perSecond: 0.1, atOnce: 1, spread: documents },
  '100 documents in one commit a second': { perSecond: 100, atOnce: 100, spread: documents },
  'the same 50, 20 times a second': { perSecond: 20, atOnce: 1, spread: 50 },
};

interface Took {
  readonly changes: number;
  readonly reads: number;
  readonly delays: readonly number[];
}

/** Writes `perSecond` documents on average, at random times. */
class WriteLoad {
  readonly #world: CaptureWorld;
  readonly #workload: Workload;
  readonly writtenAt: number[] = [];
  /** Documents that changed since the last cycle: an interval capture reports each once. */
  readonly touched = new Set<string>();
  #next = 0;
  #dueMs: number;
  #seed = 12_345;
  changes = 0;

  constructor(world: CaptureWorld, workload: Workload) {
    this.#world = world;
    this.#workload = workload;
    this.#dueMs = time.ms;
  }

  /** Makes all writes that are due before `ms`. */
  async until(ms: number): Promise<void> {
    const { perSecond, atOnce, spread, isChurn } = this.#workload;
    for (; this.#dueMs < ms; this.#dueMs += Math.ceil((this.#random() * 2_000 * atOnce) / perSecond)) {
      time.ms = this.#dueMs;
      const writes: Record<string, string | null> = {};
      for (let n = 0; n < atOnce; n++, this.#next++) {
        const path = `users/${isChurn ? `new-${this.#next >> 1}` : this.#next % spread}`;
        writes[path] = isChurn && this.#next % 2 === 1 ? null : `${this.#next}`;
        this.touched.add(path);
      }
      await put(this.#world, writes);
      this.changes += atOnce;
      this.writtenAt.push(time.ms);
    }
    time.ms = ms;
  }

  /** The same in every run. */
  #random(): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return this.#seed / 2 ** 31;
  }
}

const capture = async (workload: Workload, precision: Precision): Promise<Took> => {
  const world = newCaptureWorld();
  for (let start = 0; start < documents; start += 500)
    await put(world, Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`users/${start + n}`, 'x'.repeat(200)])));
  await enable({ precision, captureIntervalSeconds: intervalSeconds });
  await untilActive(world);
  await runNextCycle(world);
  await runNextCycle(world);
  const before = pitrNow().reads;
  if (precision === 'second') time.ms = Date.parse(pitrNow().nextTurnAt ?? '');
  const writing = new WriteLoad(world, workload);
  const delays: number[] = [];
  let reported = 0;
  const afterCycle = (): void => {
    const to = microsOf(pitrNow().capturedTo ?? '') / 1_000;
    for (const at of writing.writtenAt.splice(0)) {
      if (at <= to) delays.push((time.ms - at) / 1_000);
      else writing.writtenAt.push(at);
    }
    reported += precision === 'interval' ? writing.touched.size : 0;
    writing.touched.clear();
  };
  if (precision === 'second') {
    const write = (): Promise<void> => writing.until(time.ms);
    await listen(world, { seconds: intervals * intervalSeconds, happens: write, onEnqueue: afterCycle });
  } else
    for (let n = 0; n < intervals; n++) {
      await writing.until(time.ms + intervalSeconds * 1_000);
      await runNextCycle(world);
      afterCycle();
    }
  pass(1);
  await assertExact(world, [microsOf(pitrNow().capturedTo ?? '')]);
  const captured = batches().reduce((sum, { changes }) => sum + changes, 0);
  return {
    changes: precision === 'interval' ? reported : Math.max(1, Math.min(captured, writing.changes)),
    reads: pitrNow().reads - before,
    delays,
  };
};

export const measureCapture = async (): Promise<boolean> => {
  const rows: string[][] = [];
  const ratios = new Map<string, number>();
  const delays: number[] = [];
  for (const [name, workload] of Object.entries(workloads))
    for (const precision of ['second', 'interval'] as const) {
      const took = await capture(workload, precision);
      ratios.set(`${precision}, ${name}`, took.reads / took.changes);
      delays.push(...took.delays);
      rows.push([name, precision, whole(took.changes), whole(took.reads), fixed(took.reads / took.changes, 3)]);
    }
  await server.stop();
  printTable(
    `${intervals} captures, every ${intervalSeconds} s, of ${whole(documents)} documents`,
    ['changes', 'precision', 'captured', 'reads', 'reads for each'],
    rows,
  );
  const measured = ['second, 100 documents a second', 'second, 20 documents a second', 'interval, 20 documents a second'];
  const worst = Math.max(...delays);
  printTable('Goals: capture', goalColumns, [
    ...measured.map((name) => goalRow(`reads for each change, ${name}`, ratios.get(name) ?? Number.NaN, readsGoal)),
    goalRow('seconds from a write until it can be restored, at most', worst, delayGoal, (one) => fixed(one, 1)),
  ]);
  console.log(
    `On average a write can be restored after ${fixed(delays.reduce((sum, one) => sum + one, 0) / delays.length, 1)} s.`,
  );
  return (
    measured.every((name) => reaches(ratios.get(name) ?? Number.NaN, readsGoal.must, readsGoal.kind)) &&
    reaches(worst, delayGoal.must, delayGoal.kind)
  );
};
