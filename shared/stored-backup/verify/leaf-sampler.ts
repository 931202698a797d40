import { createHash } from 'node:crypto';
import type { Archive } from '../../archive/index.ts';
import { qualifiedName, toProblem } from './check-object.ts';
import type { VerificationReport } from './verification-report.ts';

/** Share of the leaves (about 2,000 documents each): daily samples of 5 % almost surely cover everything within three months. */
const share = 0.05;
const least = 20;

export const sampleSize = (total: number): number => Math.min(total, Math.max(least, Math.ceil(total * share)));

/** The sampled numbers below `total`, ascending: at least 5 %, at least 20, and the same for the same seed. */
export const drawLeafNumbers = (seed: string, total: number): readonly number[] => {
  const wanted = sampleSize(total);
  const chosen = new Set<number>();
  // Robert Floyd's algorithm: every set of that size is equally likely, and memory is that of the set.
  for (let last = total - wanted; last < total; last++) {
    const pick = numberOf(seed, last) % (last + 1);
    chosen.add(chosen.has(pick) ? last : pick);
  }
  return [...chosen].sort((a, b) => a - b);
};

const numberOf = (seed: string, n: number): number => createHash('sha256').update(`${seed} ${n}`).digest().readUIntBE(0, 6);

export const leavesIn = ({ pages }: Archive): number => pages.reduce((sum, { segments }) => sum + segments, 0);

/** Reads and verifies leaves by their numbers. Problems are reported for the object that contains the leaf. */
export class LeafSampler {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  get total(): number {
    return leavesIn(this.#archive);
  }

  async check(number: number, report: VerificationReport): Promise<void> {
    const { pages } = this.#archive;
    let position = number;
    const page = pages.find(({ segments }) => {
      if (position < segments) return true;
      position -= segments;
      return false;
    });
    if (!page || report.has(page.object)) return;
    let at = page.object;
    try {
      const segment = (await this.#archive.segmentsOf(page))[position];
      if (!segment) return;
      at = qualifiedName(segment, this.#archive);
      if (!report.has(at)) await this.#archive.leaf(segment);
    } catch (error) {
      const { problem, message } = toProblem(error);
      report.add(at, problem, message);
    }
  }
}
