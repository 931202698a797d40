/** What each read of a database is billed: by documents, as in the Standard edition, and by read units of 4 KiB, as in Enterprise. */

export const readKinds = ['queries', 'lookups', 'counts', 'listings', 'listen'] as const;
export type ReadKind = (typeof readKinds)[number];

/** Billed reads by kind, and their sum. */
export type MeteredReads = Readonly<Record<ReadKind | 'total', number>>;

const unitBytes = 4_096;
const entriesPerRead = 1_000;
/** Of an index entry or a document that is counted but not read. */
const entryBytes = 32;

export class ReadMeter {
  readonly #reads = new Map<ReadKind, number>();
  readonly #units = new Map<ReadKind, number>();

  /** Documents found by a scan: the Enterprise edition adds up their bytes. An empty result is billed as one. */
  scan(kind: 'queries' | 'listings' | 'listen', documents: number, bytes: number): void {
    this.#add(kind, Math.max(1, documents), Math.max(1, Math.ceil(bytes / unitBytes)));
  }

  /** Documents that are sent one by one. One that does not exist is billed, too, and has no bytes. */
  each(kind: 'lookups' | 'listen', bytes: number): void {
    this.#add(kind, 1, Math.max(1, Math.ceil(bytes / unitBytes)));
  }

  /** A count reads index entries. */
  count(entries: number): void {
    this.#add(
      'counts',
      Math.max(1, Math.ceil(entries / entriesPerRead)),
      Math.max(1, Math.ceil((entries * entryBytes) / unitBytes)),
    );
  }

  reset(): void {
    this.#reads.clear();
    this.#units.clear();
  }

  get reads(): MeteredReads {
    return summed(this.#reads);
  }

  get readUnits(): MeteredReads {
    return summed(this.#units);
  }

  #add(kind: ReadKind, reads: number, units: number): void {
    this.#reads.set(kind, (this.#reads.get(kind) ?? 0) + reads);
    this.#units.set(kind, (this.#units.get(kind) ?? 0) + units);
  }
}

const summed = (counted: ReadonlyMap<ReadKind, number>): MeteredReads => {
  const { queries = 0, lookups = 0, counts = 0, listings = 0, listen = 0 } = Object.fromEntries(counted);
  return { queries, lookups, counts, listings, listen, total: queries + lookups + counts + listings + listen };
};
