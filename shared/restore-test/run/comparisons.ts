import type { RunRecord } from '../model/record.ts';

type Comparisons = NonNullable<RunRecord['comparisons']>;
type Comparison = Comparisons['index'];

export const notCompared = (reason: string): Comparison => ({
  compared: false,
  reason,
  readTime: null,
  documents: 0,
  collections: 0,
  share: 0,
  differences: 0,
});

/** Comparisons that did not take place, except as given. */
export const noComparisons = (
  reason: string,
  given: { readonly [K in keyof Comparisons]?: Partial<Comparison> } = {},
): Comparisons => ({
  index: { ...notCompared(reason), ...given.index },
  source: { ...notCompared(reason), ...given.source },
  target: { ...notCompared(reason), ...given.target },
});
