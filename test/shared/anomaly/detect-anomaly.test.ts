/** False alarms and attacks on simulated histories. Deterministic: the seeds are numbers. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { decodeHistory, detectAnomaly, encodeHistory, type History, type UnusualShare } from '../../../shared/anomaly/index.ts';
import type { StatisticsByCollection } from '../../../shared/anomaly/statistics.ts';
import { kinds, type Life, lifeOf } from '../../harness/anomaly/simulated-histories.ts';
import type { Step } from '../../harness/anomaly/simulated-project.ts';
import { propertyRuns } from '../../harness/builders/property-runs.ts';

const start = Date.UTC(2026, 0, 5, 3);

/** A history that is stored after every backup, as the service does. */
class Recorder {
  history: History | undefined;
  readonly #life: Life;
  #run = 0;

  constructor(life: Life) {
    this.#life = life;
  }

  /** The findings of the next backup. False alarms are acknowledged. */
  next(
    attack: ReadonlyMap<string, Step> = new Map(),
    alter: (statistics: StatisticsByCollection) => void = () => undefined,
  ): readonly UnusualShare[] {
    const { project, intervalMs, next } = this.#life;
    const steps = next(this.#run);
    for (const [id, collection] of project.collections) {
      const [usual, extra] = [steps.get(id), attack.get(id)];
      collection.apply({
        ...usual,
        deleted: (usual?.deleted ?? 0) + (extra?.deleted ?? 0),
        changed: (usual?.changed ?? 0) + (extra?.changed ?? 0),
        encrypted: extra?.encrypted ?? 0,
      });
    }
    const statistics = project.statistics();
    alter(statistics);
    const judgement = detectAnomaly(this.history, { id: `b${this.#run}`, at: start + this.#run * intervalMs, statistics });
    const stored = decodeHistory(encodeHistory(judgement.history));
    this.history = { ...stored, runs: stored.runs.map((run) => (run.state === 'open' ? { ...run, state: 'accepted' } : run)) };
    this.#run += 1;
    return judgement.findings;
  }
}

const seeds = Array.from({ length: propertyRuns({ quick: 2, usual: 4 }) }, (_, n) => n * 7_919 + 1);
const runs = 100;

test('ordinary histories: at most one false alarm in 200 backups', () => {
  const alarms: Record<string, number> = {};
  for (const kind of Object.keys(kinds))
    for (const seed of seeds) {
      const recorder = new Recorder(lifeOf(kind, seed));
      for (let run = 0; run < runs; run++) {
        const findings = recorder.next();
        if (findings.length > 0) alarms[kind] = (alarms[kind] ?? 0) + 1;
      }
    }
  const backups = Object.keys(kinds).length * seeds.length * runs;
  const total = Object.values(alarms).reduce((sum, count) => sum + count, 0);
  ok(total <= backups / 200, JSON.stringify({ backups, total, alarms }));
});

/** Collections that are large enough and not replaced at every backup. */
const targets = ({ project }: Life): readonly string[] =>
  [...project.collections].filter(([id, { documents }]) => documents >= 60 && /^c\d$/.test(id)).map(([id]) => id);

const attacks: Readonly<Record<string, (life: Life, random: () => number) => ReadonlyMap<string, Step>>> = {
  'deletion of 20 % of a collection': (life, random) => {
    const ids = targets(life);
    const id = ids[Math.floor(random() * ids.length)] ?? '';
    return new Map([[id, { deleted: Math.ceil((life.project.collections.get(id)?.documents ?? 0) * 0.2) }]]);
  },
  'deletion of 20 % of everything': (life) =>
    new Map([...life.project.collections].map(([id, { documents }]) => [id, { deleted: Math.ceil(documents * 0.2) }])),
  'encryption of 5 % of a collection': (life, random) => {
    const ids = targets(life);
    const id = ids[Math.floor(random() * ids.length)] ?? '';
    return new Map([[id, { encrypted: Math.ceil((life.project.collections.get(id)?.documents ?? 0) * 0.05) }]]);
  },
  'encryption of 5 % of everything': (life) =>
    new Map([...life.project.collections].map(([id, { documents }]) => [id, { encrypted: Math.ceil(documents * 0.05) }])),
};

/** In these, a run of itself replaces so much that an attack on the same collection is part of it. */
const attacked = Object.keys(kinds).filter((kind) => kind !== 'tiny' && kind !== 'turnover');

for (const [name, attack] of Object.entries(attacks))
  test(`${name} is found in every trial, after a short and after a long history`, () => {
    const missed: string[] = [];
    let trials = 0;
    for (const kind of attacked)
      for (const seed of seeds)
        for (const before of [3, 4, 7, 20, 45]) {
          const life = lifeOf(kind, seed + before);
          const recorder = new Recorder(life);
          for (let run = 0; run < before; run++) recorder.next();
          if (targets(life).length === 0) continue;
          trials += 1;
          const steps = attack(life, life.random);
          const wanted = name.startsWith('deletion') ? 'deleted' : 'entropy';
          const findings = recorder.next(steps);
          if (!findings.some(({ kind: found }) => found === wanted))
            missed.push(`${kind} ${seed} ${before} ${JSON.stringify([...steps])} ${JSON.stringify(findings)}`);
        }
    ok(trials > 37 * seeds.length);
    deepEqual(missed, []);
  });

test('the first three backups are not judged, and growth alone is no finding', () => {
  const life = lifeOf('steady', 5);
  const recorder = new Recorder(life);
  for (let run = 0; run < 3; run++) equal(recorder.next(new Map([['c0', { deleted: 50 }]])).length, 0);
});

for (const [what, each, found] of [
  ['keep their text', { textBytes: 80, bits: 4.2 }, []],
  ['lose most of their text', { textBytes: 20, bits: 4.2 }, ['changed']],
  ['get the same text everywhere', { textBytes: 80, bits: 1 }, ['changed']],
] as const)
  test(`a collection whose documents all change and ${what}: ${found.length} findings`, () => {
    const life = lifeOf('steady', 5);
    const recorder = new Recorder(life);
    for (let run = 0; run < 20; run++) recorder.next();
    const [[id = '', { documents = 0 } = {}] = []] = [...life.project.collections];
    const findings = recorder.next(new Map([[id, { changed: documents }]]), (statistics) => {
      const sample = statistics.get(id)!.ofChanged;
      sample.textBytes = sample.documents * each.textBytes;
      sample.bits = sample.documents * each.bits;
    });
    deepEqual(
      findings.filter(({ collection }) => collection === id).map(({ kind }) => kind),
      found,
    );
  });
