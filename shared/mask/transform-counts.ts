import type { MaskedDocument } from './document-masker.ts';

/** What the rules changed. */
export interface TransformCounts {
  readonly documents: number;
  readonly fields: number;
  /** By rule: documents in which it found its field. */
  readonly matches: readonly number[];
}

/** Counts documents one by one. */
export class TransformTally {
  #documents = 0;
  #fields = 0;
  readonly #matches: number[];

  constructor(rules: number) {
    this.#matches = Array<number>(rules).fill(0);
  }

  get counts(): TransformCounts {
    return { documents: this.#documents, fields: this.#fields, matches: [...this.#matches] };
  }

  get areAllMatched(): boolean {
    return this.#matches.every((count) => count > 0);
  }

  add({ rules, fields }: MaskedDocument): void {
    if (fields > 0) this.#documents += 1;
    this.#fields += fields;
    for (const index of rules) this.#matches[index] = (this.#matches[index] ?? 0) + 1;
  }
}

export const sumTransforms = (all: readonly (TransformCounts | undefined)[], rules: number): TransformCounts => {
  const known = all.filter((counts) => counts !== undefined);
  const sum = (of: (counts: TransformCounts) => number): number => known.reduce((total, counts) => total + of(counts), 0);
  return {
    documents: sum(({ documents }) => documents),
    fields: sum(({ fields }) => fields),
    matches: Array.from({ length: rules }, (_, n) => sum(({ matches }) => matches[n] ?? 0)),
  };
};
