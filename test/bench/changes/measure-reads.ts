/** What a month of protection reads, as the embedded Firestore bills it: captures, a nightly backup, bases, counts and the audit. */
import { SeededRandom } from '../../../infra/local/engines/firestore/seed/seeded-random.ts';
import { changesAfter, runAudit } from '../../../shared/pitr/index.ts';
import { type DayOfReads, readDays } from '../../../shared/project/index.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../harness/env/capture-env.ts';
import { fixed, goalColumns, goalRow, printTable, reaches, whole } from '../print.ts';

const documents = Number(process.env.BENCH_READ_DOCUMENTS ?? 100_000);
const days = Number(process.env.BENCH_DAYS ?? 30);
const intervalSeconds = 600;
const cyclesPerDay = (24 * 3_600) / intervalSeconds;
const changedPerCycle = Math.ceil(documents / 100 / cyclesPerDay);
const changedPerDay = changedPerCycle * cyclesPerDay;
const auditDays = [30, 90] as const;
const goal = { must: 1, aim: 0.9, kind: 'most' } as const;

/** 1.1 × the changed documents + all ÷ `auditDays` + 0.5 % of all. */
const allowed = (within: number): number => 1.1 * changedPerDay + documents / within + 0.005 * documents;

const pathOf = (n: number): string => `users/u${String(n).padStart(7, '0')}`;

/** A hundredth of the documents each day, at random: eight in ten are changed, one is created and one is deleted. */
class Writer {
  readonly #t: CaptureEnv;
  readonly #dice = new SeededRandom(7);
  readonly #living: number[] = Array.from({ length: documents }, (_, n) => n);
  #next = documents;
  #written = 0;

  constructor(t: CaptureEnv) {
    this.#t = t;
  }

  async write(count: number): Promise<void> {
    const changed: Record<string, string | null> = {};
    for (let n = 0; n < count; n++) {
      const kind = this.#written++ % 10;
      const at = this.#dice.below(this.#living.length);
      const document = this.#living[at] ?? 0;
      if (kind === 0) this.#living.push(this.#next);
      if (kind === 1) this.#living.splice(at, 1);
      changed[pathOf(kind === 0 ? this.#next++ : document)] = kind === 1 ? null : `changed ${this.#written}`;
    }
    await this.#t.put(changed);
  }
}

interface Day {
  readonly billed: number;
  readonly listings: number;
  readonly counted: DayOfReads['reads'];
}

const simulate = async (within: number): Promise<readonly Day[]> => {
  const first: Record<string, string> = {};
  for (let n = 0; n < documents; n++) first[pathOf(n)] = `first ${n}`;
  const t = await startWith(first, within);
  const writer = new Writer(t);
  const wait = async (): Promise<void> => {
    t.pass(1);
    if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
  };
  t.deps = { ...t.deps, changes: changesAfter(wait) };
  // Days of the calendar, as the counters have them.
  while (t.nowMs % (24 * 3_600_000) > intervalSeconds * 1_000) await t.runNextCycle();
  const took: Day[] = [];
  for (let day = 0; day < days; day++) {
    const endsMs = (Math.floor(t.nowMs / 86_400_000) + 1) * 86_400_000;
    const before = t.database.meter.reads;
    for (let n = 0; t.nowMs < endsMs - intervalSeconds * 1_000; n++) {
      await writer.write(changedPerCycle);
      await t.runNextCycle();
      await t.runRequestedBase();
      if (n === cyclesPerDay / 6) await t.takeBackup();
      const run = { until: new Date(t.nowMs + 60_000), signal: AbortSignal.timeout(600_000) };
      await runAudit(t.tenant, t.projectId, { deps: t.deps, ...run });
    }
    const after = t.database.meter.reads;
    const [counted] = await readDays(t.tenant, { projectId: t.projectId, days: 1, now: t.now });
    if (counted)
      took.push({
        billed: after.total - before.total,
        listings: after.listings - before.listings,
        counted: counted.reads,
      });
    await t.expire();
    t.nowMs = Math.max(t.nowMs, endsMs);
  }
  return took;
};

/** Firestore takes 500 writes in one commit. */
const startWith = async (all: Readonly<Record<string, string>>, within: number): Promise<CaptureEnv> => {
  const entries = Object.entries(all);
  const t = await createActiveCapture(
    { [entries[0]?.[0] ?? pathOf(0)]: 'first' },
    { precision: 'interval', captureIntervalSeconds: intervalSeconds, auditDays: within },
  );
  for (let start = 0; start < entries.length; start += 500) await t.put(Object.fromEntries(entries.slice(start, start + 500)));
  // What was written is a change; a base that reads everything begins the audit's clock.
  await t.runNextCycle();
  t.table.put({ ...t.pitr, mustReadBase: true });
  for (let n = 0; n < 5; n++) {
    await t.runNextCycle();
    await t.runRequestedBase();
  }
  return t;
};

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

export const measureReads = async (): Promise<boolean> => {
  const goals: string[][] = [];
  let isMet = true;
  for (const within of auditDays) {
    const took = await simulate(within);
    const kinds = Object.keys(took[0]?.counted ?? {}) as (keyof DayOfReads['reads'])[];
    printTable(
      `Reads a day of ${whole(documents)} documents, of which ${whole(changedPerDay)} change, over ${days} days, auditDays ${within}`,
      ['', 'mean', 'most'],
      [
        ['billed', whole(mean(took.map(({ billed }) => billed))), whole(Math.max(...took.map(({ billed }) => billed)))],
        ['of them listings', whole(mean(took.map(({ listings }) => listings))), ''],
        ...kinds.map((kind) => [
          `counted: ${kind}`,
          whole(mean(took.map(({ counted }) => counted[kind]))),
          whole(Math.max(...took.map(({ counted }) => counted[kind]))),
        ]),
      ],
    );
    const share = mean(took.map(({ billed }) => billed)) / allowed(within);
    goals.push(
      goalRow(`reads ÷ ${whole(allowed(within))}, auditDays ${within}`, { value: share, goal, show: (value) => fixed(value) }),
    );
    isMet &&= reaches(share, goal.must, 'most');
  }
  await stopCaptureEnv();
  printTable('Goals: reads', goalColumns, goals);
  return isMet;
};
