/** Which limit is met first, and at how many documents. */
export interface Limit {
  readonly name: string;
  readonly most: number;
  /** What a job of so many documents uses of it; never less for more documents. */
  readonly used: (documents: number) => number;
  /** Whoever uses the service or owns the database can raise it. */
  readonly isSetting?: true;
  /** What to do about it. */
  readonly remedy: string;
}

/** More than any database has. */
const documentsMax = 1e15;

/** The most documents that keep to the limit; Infinity if any number does. */
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

/** In the order they are met; those that nothing meets are left out. */
export const inOrder = (limits: readonly Limit[]): readonly (Limit & { readonly at: number })[] =>
  limits
    .map((limit) => ({ ...limit, at: reachedAt(limit) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
