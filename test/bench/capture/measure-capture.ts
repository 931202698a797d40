/** Cost of point-in-time capture: source reads per changed document, and the time until a write can be restored. */

import { microsOf } from '../../../shared/pitr/index.ts';
import { type CaptureEnv, createCaptureEnv, stopCaptureEnv } from '../../harness/env/capture-env.ts';
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
  readonly #t: CaptureEnv;
  readonly #workload: Workload;
  readonly writtenAt: number[] = [];
  /** Documents that changed since the last cycle: an interval capture reports each once. */
  readonly touched = new Set<string>();
  #next = 0;
  #dueMs: number;
  #seed = 12_345;
  changes = 0;

  constructor(t: CaptureEnv, workload: Workload) {
    this.#t = t;
    this.#workload = workload;
    this.#dueMs = this.#t.nowMs;
  }

  /** Makes all writes that are due before `ms`. */
  async until(ms: number): Promise<void> {
    const { perSecond, atOnce, spread, isChurn } = this.#workload;
    for (; this.#dueMs < ms; this.#dueMs += Math.ceil((this.#random() * 2_000 * atOnce) / perSecond)) {
      this.#t.nowMs = this.#dueMs;
      const writes: Record<string, string | null> = {};
      for (let n = 0; n < atOnce; n++, this.#next++) {
        const path = `users/${isChurn ? `new-${this.#next >> 1}` : this.#next % spread}`;
        writes[path] = isChurn && this.#next % 2 === 1 ? null : `${this.#next}`;
        this.touched.add(path);
      }
      await this.#t.put(writes);
      this.changes += atOnce;
      this.writtenAt.push(this.#t.nowMs);
    }
    this.#t.nowMs = ms;
  }

  /** The same in every run. */
  #random(): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return this.#seed / 2 ** 31;
  }
}

const capture = async (workload: Workload, precision: Precision): Promise<Took> => {
  const t = await createCaptureEnv();
  for (let start = 0; start < documents; start += 500)
    await t.put(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`users/${start + n}`, 'x'.repeat(200)])));
  await t.enable({ precision, captureIntervalSeconds: intervalSeconds });
  await t.untilActive();
  await t.runNextCycle();
  await t.runNextCycle();
  const before = t.pitr.reads;
  if (precision === 'second') t.nowMs = Date.parse(t.pitr.nextTurnAt ?? '');
  const writing = new WriteLoad(t, workload);
  const delays: number[] = [];
  let reported = 0;
  const afterCycle = (): void => {
    const to = microsOf(t.pitr.capturedTo ?? '') / 1_000;
    for (const at of writing.writtenAt.splice(0)) {
      if (at <= to) delays.push((t.nowMs - at) / 1_000);
      else writing.writtenAt.push(at);
    }
    reported += precision === 'interval' ? writing.touched.size : 0;
    writing.touched.clear();
  };
  if (precision === 'second') {
    const write = (): Promise<void> => writing.until(t.nowMs);
    await listen(t, { seconds: intervals * intervalSeconds, happens: write, onEnqueue: afterCycle });
  } else
    for (let n = 0; n < intervals; n++) {
      await writing.until(t.nowMs + intervalSeconds * 1_000);
      await t.runNextCycle();
      afterCycle();
    }
  t.pass(1);
  await t.assertExact([microsOf(t.pitr.capturedTo ?? '')]);
  const captured = t.batches.reduce((sum, { changes }) => sum + changes, 0);
  return {
    changes: precision === 'interval' ? reported : Math.max(1, Math.min(captured, writing.changes)),
    reads: t.pitr.reads - before,
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
  await stopCaptureEnv();
  printTable(
    `${intervals} captures, every ${intervalSeconds} s, of ${whole(documents)} documents`,
    ['changes', 'precision', 'captured', 'reads', 'reads for each'],
    rows,
  );
  const measured = ['second, 100 documents a second', 'second, 20 documents a second', 'interval, 20 documents a second'];
  const worst = Math.max(...delays);
  printTable('Goals: capture', goalColumns, [
    ...measured.map((name) =>
      goalRow(`reads for each change, ${name}`, { value: ratios.get(name) ?? Number.NaN, goal: readsGoal }),
    ),
    goalRow('seconds from a write until it can be restored, at most', {
      value: worst,
      goal: delayGoal,
      show: (one) => fixed(one, 1),
    }),
  ]);
  console.log(
    `On average a write can be restored after ${fixed(delays.reduce((sum, one) => sum + one, 0) / delays.length, 1)} s.`,
  );
  return (
    measured.every((name) => reaches(ratios.get(name) ?? Number.NaN, readsGoal.must, readsGoal.kind)) &&
    reaches(worst, delayGoal.must, delayGoal.kind)
  );
};
