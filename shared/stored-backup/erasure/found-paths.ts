import { compareNames, type LedgerEntry } from '../../archive/index.ts';
import { documentRange, ErasureFilter } from '../../firestore/index.ts';

/** An item of the table holds 400 KB, and an entry is one. */
const pathsMaxBytes = 200_000;

const bytesOf = (path: string): number => Buffer.byteLength(JSON.stringify(path)) + 1;

/** The first paths, as many as fit into this many bytes. */
export const fittingPaths = (paths: readonly string[], bytes: number): readonly string[] => {
  let room = bytes;
  const end = paths.findIndex((path) => {
    room -= bytesOf(path);
    return room < 0;
  });
  return end < 0 ? paths : paths.slice(0, end);
};

/** Paths of documents that a query found: those that its entry does not have yet, as far as they fit into it. */
export class FoundPaths {
  readonly paths: string[] = [];
  readonly #known: ErasureFilter;
  readonly #withBelow: boolean;
  readonly #seen = new Set<string>();
  #bytes: number;

  constructor({ query: _, ...named }: LedgerEntry) {
    this.#known = new ErasureFilter([named], '');
    this.#withBelow = named.includeSubcollections;
    this.#bytes = named.paths.reduce((sum, path) => sum + bytesOf(path), 0);
  }

  /** The path of a document below the database. */
  add(found: Buffer): void {
    const path = found.toString();
    if (this.#seen.has(path) || this.#isBelowLast(found) || this.#known.hidesPath(found)) return;
    if (this.#bytes + bytesOf(path) > pathsMaxBytes) return;
    this.#seen.add(path);
    this.#bytes += bytesOf(path);
    this.paths.push(path);
  }

  /** Within a backup names ascend, so that documents below one that was found follow it. */
  #isBelowLast(found: Buffer): boolean {
    const last = this.paths.at(-1);
    if (last === undefined || !this.#withBelow) return false;
    const { from, to } = documentRange(last, true);
    return compareNames(found, Buffer.from(from)) >= 0 && compareNames(found, Buffer.from(to)) < 0;
  }
}
