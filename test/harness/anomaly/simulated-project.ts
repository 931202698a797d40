/** A project of which only numbers exist: how many documents each collection has, and how many of them have which field. */
import { emptyStatistics, type Sample, type StatisticsByCollection } from '../../../shared/anomaly/statistics.ts';

/** Deterministic random numbers between 0 and 1 (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A count around `mean`: Poisson, or normal if it is large. */
export const poissonCount = (mean: number, random: () => number): number => {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * gauss(random)));
  let [count, product] = [0, random()];
  for (const limit = Math.exp(-mean); product > limit; product *= random()) count += 1;
  return count;
};

export const gauss = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(random() || 1e-12)) * Math.cos(2 * Math.PI * random());

export interface SimulatedField {
  share: number;
  opaque: number;
}

export interface Step {
  readonly deleted?: number;
  readonly changed?: number;
  readonly added?: number;
  /** Of the changed documents, how many have an encrypted field. */
  readonly encrypted?: number;
}

interface Filling {
  readonly documents: number;
  readonly encrypted?: number;
  readonly budget?: number;
}

export class SimulatedCollection {
  documents: number;
  readonly fields: Map<string, SimulatedField>;
  readonly #random: () => number;
  #step: Step = {};
  #added = 0;

  constructor(documents: number, fields: Readonly<Record<string, SimulatedField>>, random: () => number) {
    this.documents = documents;
    this.fields = new Map(Object.entries(fields));
    this.#random = random;
  }

  apply({ deleted = 0, changed = 0, added = 0, encrypted = 0 }: Step): void {
    const gone = Math.min(this.documents, deleted);
    const kept = this.documents - gone;
    this.#step = { changed: Math.min(kept, changed + encrypted), encrypted: Math.min(kept, encrypted) };
    this.#added = added;
    this.documents = kept + added;
  }

  statistics(): ReturnType<typeof emptyStatistics> {
    const { changed = 0, encrypted = 0 } = this.#step;
    const one = emptyStatistics();
    one.documents = this.documents;
    one.added = this.#added;
    one.changed = changed;
    this.#fill(one.ofChanged, { documents: changed, encrypted, budget: 2_048 });
    this.#fill(one.ofAdded, { documents: this.#added });
    this.#fill(one.ofUnchanged, { documents: this.documents - changed - this.#added });
    return one;
  }

  /** Like the tally of a copying worker: all documents up to a budget, then every second, fourth and so on. */
  #fill(sample: Sample, { documents, encrypted = 0, budget = 256 }: Filling): void {
    const halvings = Math.max(0, Math.floor(Math.log2(documents / budget + 1)));
    const examined = documents === 0 ? 0 : Math.ceil(documents / 2 ** halvings);
    const weight = examined === 0 ? 0 : documents / examined;
    sample.documents = documents;
    sample.examined = examined;
    sample.textBytes = documents * 80;
    sample.bits = documents * 4.2;
    sample.withText = documents;
    const dark = Math.min(examined, countOf(encrypted / weight, this.#random));
    for (const [name, { share, opaque }] of this.fields) {
      const present = binomial(examined, share, this.#random);
      const usual = binomial(Math.max(0, present - dark), opaque, this.#random);
      if (present > 0) sample.fields.set(name, { present: present * weight, opaque: (usual + Math.min(dark, present)) * weight });
    }
  }
}

const countOf = (mean: number, random: () => number): number => Math.floor(mean) + (random() < mean % 1 ? 1 : 0);

const binomial = (n: number, share: number, random: () => number): number => {
  if (share <= 0 || n <= 0) return 0;
  if (share >= 1) return n;
  const variance = n * share * (1 - share);
  if (variance > 20) return Math.min(n, Math.max(0, Math.round(n * share + Math.sqrt(variance) * gauss(random))));
  let count = 0;
  for (let i = 0; i < n; i++) if (random() < share) count += 1;
  return count;
};

export class SimulatedProject {
  readonly collections = new Map<string, SimulatedCollection>();

  statistics(): StatisticsByCollection {
    const found: StatisticsByCollection = new Map();
    for (const [id, collection] of this.collections) if (collection.documents > 0) found.set(id, collection.statistics());
    return found;
  }

  get documents(): number {
    return [...this.collections.values()].reduce((sum, { documents }) => sum + documents, 0);
  }
}
