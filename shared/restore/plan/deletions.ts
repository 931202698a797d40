/** The set of documents and users that a plan deletes: its digest tells whether a restore deletes what its plan showed. */
import { createHash } from 'node:crypto';
import { takeWithinBytes } from '../../platform/index.ts';
import type { PlannedDeletions } from '../model/record.ts';

const modulus = 1n << 256n;
const textOf = (sum: bigint): string => sum.toString(16).padStart(64, '0');

export const noDeletions: PlannedDeletions = { deleteDigest: textOf(0n), deletions: [] };

const shownMax = 100;
/** What a response shows, and what an item of 400 KB holds beside the rest. */
const firstOf = (paths: readonly string[]): readonly string[] =>
  takeWithinBytes(paths, { sizeOf: (path) => Buffer.byteLength(path), maxBytes: 10_000, maxCount: shownMax });

export const sumDeletions = (parts: readonly PlannedDeletions[]): PlannedDeletions => ({
  deleteDigest: textOf(parts.reduce((sum, { deleteDigest }) => sum + BigInt(`0x${deleteDigest}`), 0n) % modulus),
  deletions: firstOf(parts.flatMap(({ deletions }) => deletions)),
});

/** Collects the deletions of a part of a plan. */
export class DeletionSet {
  #sum = 0n;
  readonly #paths: string[] = [];

  add(path: string): void {
    this.#sum += BigInt(`0x${createHash('sha256').update(path).digest('hex')}`);
    if (this.#paths.length < shownMax) this.#paths.push(path);
  }

  get planned(): PlannedDeletions {
    return { deleteDigest: textOf(this.#sum % modulus), deletions: firstOf(this.#paths) };
  }
}
