import { createHash } from 'node:crypto';
import type { Archive, Segment } from '../../archive/index.ts';
import { toProblem } from './check-object.ts';
import type { VerificationReport } from './verification-report.ts';

/** Of the leaves, some 2,000 documents each: 5 % a day is all of it, nearly surely, within three months. */
const share = 0.05;
const least = 20;

/** Which of so many are looked at: the same for the same seed, at least 5 % and at least 20, ascending. */
export const drawSample = (seed: string, total: number): readonly number[] => {
  const wanted = Math.min(total, Math.max(least, Math.ceil(total * share)));
  const chosen = new Set<number>();
  // Robert Floyd's: every set of that size is as likely as any other, and memory is that of the set.
  for (let last = total - wanted; last < total; last++) {
    const pick = numberOf(seed, last) % (last + 1);
    chosen.add(chosen.has(pick) ? last : pick);
  }
  return [...chosen].sort((a, b) => a - b);
};

const numberOf = (seed: string, n: number): number => createHash('sha256').update(`${seed} ${n}`).digest().readUIntBE(0, 6);

/** Reads leaves by their numbers, each whole and proven; what is wrong with one is said of the object it lies in. */
export class LeafSampler {
  readonly #archive: Archive;
  #held: { readonly page: number; readonly segments: readonly Segment[] } | undefined;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  get total(): number {
    return this.#archive.pages.reduce((sum, { segments }) => sum + segments, 0);
  }

  async check(number: number, report: VerificationReport): Promise<void> {
    const { pages } = this.#archive;
    let left = number;
    const page = pages.findIndex(({ segments }) => {
      if (left < segments) return true;
      left -= segments;
      return false;
    });
    const object = pages[page]?.object;
    if (object === undefined || report.has(object)) return;
    let at = object;
    try {
      const segment = (await this.#segmentsOf(page))[left];
      if (!segment) return;
      at = qualifiedName(segment, this.#archive);
      if (!report.has(at)) await this.#archive.leaf(segment);
    } catch (error) {
      const { problem, message } = toProblem(error);
      report.add(at, problem, message);
    }
  }

  async #segmentsOf(page: number): Promise<readonly Segment[]> {
    const entry = this.#archive.pages[page];
    if (this.#held?.page !== page && entry) this.#held = { page, segments: await this.#archive.segmentsOf(entry) };
    return this.#held?.segments ?? [];
  }
}

/** Objects of earlier backups are named with the backup they belong to. */
export const qualifiedName = (
  { backup, ...of }: { readonly backup: string; readonly name?: string; readonly object?: string },
  { manifest }: Archive,
): string => {
  const name = of.name ?? of.object ?? '';
  return backup === manifest.backup ? name : `${backup}/${name}`;
};
