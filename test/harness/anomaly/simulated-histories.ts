/** Ordinary lives of projects. None of what happens in them is an attack. */
import { gauss, poissonCount, randomFrom, SimulatedCollection, SimulatedProject, type Step } from './simulated-project.ts';

export interface Life {
  readonly project: SimulatedProject;
  readonly intervalMs: number;
  /** What happens until the next backup, by collection. */
  readonly next: (run: number) => ReadonlyMap<string, Step>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const plain = { name: { share: 1, opaque: 0 }, note: { share: 0.7, opaque: 0.01 }, created: { share: 1, opaque: 0 } };
const mixed = { ...plain, token: { share: 0.5, opaque: 0.97 }, url: { share: 0.9, opaque: 0.3 } };

type Kind = (random: () => number) => Life;

/** Rates of one run, which vary around their mean. */
const steady =
  (random: () => number, rates: { deleted: number; changed: number; added: number }, noise = 0.4) =>
  ({ documents }: SimulatedCollection, factor = 1): Step => {
    const some = (rate: number): number =>
      poissonCount(documents * Math.min(1, rate * factor * Math.exp(noise * gauss(random))), random);
    return { deleted: some(rates.deleted), changed: some(rates.changed), added: some(rates.added) };
  };

const between = (random: () => number, low: number, high: number): number => low + (high - low) * random();

/** A project of some collections that live on their own, and a hook for what is special about it. */
const life = (
  random: () => number,
  sizes: readonly number[],
  {
    special = (_run: number, _project: SimulatedProject, _steps: Map<string, Step>): void => undefined,
    intervalMs = dayMs,
    noise = 0.4,
    factor = (_run: number): number => 1,
    busy = 1,
  } = {},
): Life => {
  const project = new SimulatedProject();
  const rates = new Map<string, ReturnType<typeof steady>>();
  for (const [n, size] of sizes.entries()) {
    project.collections.set(`c${n}`, new SimulatedCollection(size, n % 2 === 0 ? plain : mixed, random));
    const deleted = between(random, 0, 0.015) * busy;
    rates.set(
      `c${n}`,
      steady(random, { deleted, changed: between(random, 0.002, 0.08) * busy, added: deleted + between(random, 0, 0.01) }, noise),
    );
  }
  const next = (run: number): ReadonlyMap<string, Step> => {
    const steps = new Map<string, Step>();
    for (const [id, collection] of project.collections) {
      const rate = rates.get(id);
      if (rate) steps.set(id, rate(collection, factor(run)));
    }
    special(run, project, steps);
    return steps;
  };
  return { project, intervalMs, next };
};

const sizesOf = (random: () => number): readonly number[] => [
  Math.round(10 ** between(random, 2, 5)),
  Math.round(10 ** between(random, 1.8, 4)),
  Math.round(10 ** between(random, 1.5, 3)),
];

const isWeekend = (run: number): boolean => run % 7 >= 5;

export const kinds: Readonly<Record<string, Kind>> = {
  steady: (random) => life(random, sizesOf(random)),
  noisy: (random) => life(random, sizesOf(random), { noise: 0.8 }),
  weekly: (random) => life(random, sizesOf(random), { factor: (run) => (isWeekend(run) ? 0.15 : 1.2), busy: 2 }),
  weeklyCleanUp: (random) => {
    const share = between(random, 0.04, 0.11);
    return life(random, sizesOf(random), {
      special: (run, { collections }, steps) => {
        const logs = collections.get('c1');
        if (run % 7 === 6 && logs)
          steps.set('c1', { deleted: Math.round(logs.documents * share), added: poissonCount(logs.documents * 0.01, random) });
        else if (logs) steps.set('c1', { added: poissonCount(logs.documents * share * 0.16, random) });
      },
    });
  },
  imports: (random) =>
    life(random, sizesOf(random), {
      special: (_run, { collections }, steps) => {
        if (random() > 0.08) return;
        const id = `c${Math.floor(random() * 3)}`;
        const documents = Math.min(1e6, collections.get(id)?.documents ?? 0);
        steps.set(id, { ...steps.get(id), added: Math.round(documents * between(random, 0.2, 3)) });
      },
      busy: 0.6,
    }),
  replacedCatalogue: (random) =>
    life(random, sizesOf(random), {
      special: (run, { collections }, steps) => {
        const documents = collections.get('c2')?.documents ?? 0;
        if (run % 10 === 9) steps.set('c2', { deleted: documents, added: Math.round(documents * between(random, 0.95, 1.1)) });
      },
    }),
  migrations: (random) =>
    life(random, sizesOf(random), {
      special: (run, { collections }, steps) => {
        if (random() > 0.05) return;
        const id = `c${Math.floor(random() * 3)}`;
        const collection = collections.get(id);
        if (!collection) return;
        const which = Math.floor(random() * 4);
        // A new field, a renamed one, a new token in every document, or a part of the documents rewritten.
        if (which === 0) collection.fields.set(`added${run}`, { share: 1, opaque: 0 });
        if (which === 1) renameField(collection, run);
        if (which === 2) collection.fields.set(`key${run}`, { share: 1, opaque: 1 });
        const share = which === 3 ? between(random, 0.1, 0.9) : 1;
        steps.set(id, { changed: Math.round(collection.documents * share) });
      },
    }),
  growth: (random) =>
    life(random, [200, 100, 50], {
      special: (_run, { collections }, steps) => {
        for (const [id, { documents }] of collections)
          steps.set(id, { ...steps.get(id), added: poissonCount(documents * 0.03, random) });
      },
    }),
  seasonal: (random) => life(random, sizesOf(random), { factor: (run) => 1 + 0.8 * Math.sin(run / 10), busy: 1.5 }),
  turnover: (random) =>
    life(random, sizesOf(random), {
      special: (_run, { collections }, steps) => {
        const documents = collections.get('c2')?.documents ?? 0;
        const share = between(random, 0.5, 1);
        steps.set('c2', {
          deleted: Math.round(documents * share),
          added: Math.max(20, Math.round(documents * share * between(random, 0.8, 1.25))),
        });
      },
    }),
  tiny: (random) =>
    life(random, [5, 3, 1], {
      special: (_run, { collections }, steps) => {
        for (const [id, { documents }] of collections)
          steps.set(id, {
            deleted: random() < 0.1 ? 1 : 0,
            changed: random() < 0.5 ? Math.min(documents, 2) : 0,
            added: random() < 0.12 ? 1 : 0,
          });
      },
    }),
  small: (random) =>
    life(random, [60, 25, 12], {
      special: (_run, { collections }, steps) => {
        for (const [id, { documents }] of collections)
          steps.set(id, {
            deleted: poissonCount(0.3, random),
            changed: poissonCount(Math.min(2, documents / 10), random),
            added: poissonCount(0.4, random),
          });
      },
    }),
  emptyAndTemporary: (random) =>
    life(random, sizesOf(random), {
      special: (run, { collections }, steps) => {
        if (run === 2) collections.set('empty', new SimulatedCollection(0, plain, random));
        // A staging collection exists for one or two backups.
        if (run % 12 === 5) {
          const staging = new SimulatedCollection(0, plain, random);
          collections.set(`staging${run}`, staging);
          steps.set(`staging${run}`, { added: 5_000 });
        } else if (run % 12 === 6) steps.set(`staging${run - 1}`, { deleted: 5_000 });
      },
    }),
  hourly: (random) => life(random, sizesOf(random), { intervalMs: hourMs, factor: (run) => (run % 24 < 7 ? 0.05 : 0.2) }),
};

/** The name of a field changes in all documents. */
const renameField = ({ fields }: SimulatedCollection, run: number): void => {
  const [name, field] = [...fields].find(([, { share }]) => share === 1) ?? [];
  if (name === undefined || !field) return;
  fields.delete(name);
  fields.set(`renamed${run}`, field);
};

export const lifeOf = (kind: string, seed: number): Life & { readonly random: () => number } => {
  const random = randomFrom(seed);
  const make = kinds[kind];
  if (!make) throw new Error(`no history ${kind}`);
  return { ...make(random), random };
};
