import { BudgetSpent, type Lookup } from './document-lookup.ts';

/** The reads for proving past moments, and their limit. */
export class PastTally {
  reads = 0;
  /** Reads among them that were lent. */
  lent = 0;
  #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get left(): number {
    return Math.max(0, this.#max - this.reads);
  }

  /** Throws BudgetSpent if so many reads are not left. */
  expect(reads: number): void {
    if (reads > this.left) throw new BudgetSpent();
  }

  spend(reads: number): void {
    this.reads += reads;
  }

  /** Allows the work so many reads beyond the limit; it spends them first. */
  async lending(reads: number, work: () => Promise<void>): Promise<void> {
    const [before, max] = [this.reads, this.#max];
    this.#max += reads;
    try {
      await work();
    } finally {
      const spent = Math.min(reads, this.reads - before);
      this.lent += spent;
      this.#max = max + spent;
    }
  }

  /** Limits look-ups, and counts them. */
  async lookingUp<T>(lookup: Lookup, work: () => Promise<T>): Promise<T> {
    const before = lookup.reads;
    lookup.budget = before + this.left;
    try {
      return await work();
    } finally {
      this.reads += lookup.reads - before;
    }
  }
}
