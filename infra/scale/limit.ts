/** Which limit is reached first, and at how many documents. */
export interface Limit {
  readonly name: string;
  readonly most: number;
  /** Usage for a number of documents; never decreases. */
  readonly used: (documents: number) => number;
  /** A user of the service or the owner of the database can raise it. */
  readonly isSetting?: true;
  readonly remedy: string;
}

/** More than any database holds. */
const documentsMax = 1e15;

/** The most documents within the limit; Infinity if unlimited. */
export const reachedAt = ({ used, most }: Limit): number => {
  if (used(documentsMax) <= most) return Number.POSITIVE_INFINITY;
  let [within, beyond] = [0, documentsMax];
  while (beyond - within > Math.max(1, within / 1_000)) {
    const middle = within === 0 ? beyond / 2 ** 10 : Math.sqrt(within * beyond);
    if (used(middle) <= most) within = middle;
    else beyond = middle;
    if (beyond <= 1) break;
  }
  return within;
};

/** Sorted by number of documents; limits that are never reached are omitted. */
export const inOrder = (limits: readonly Limit[]): readonly (Limit & { readonly at: number })[] =>
  limits
    .map((limit) => ({ ...limit, at: reachedAt(limit) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
