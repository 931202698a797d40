/**
 * Paths of rules. A segment of a collection path or of a field path is a name, a name in back-quotes, `*` (one segment of any
 * name) or `**` (any number of segments); `[]` after a field segment means the elements of an array.
 */

export type RuleSegment =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'element' }
  | { readonly kind: 'deep' };

/** Segments per path. Firestore nests fields 20 and collections 100 levels deep. */
const segmentsMax = 40;
const anyName = { kind: 'any' } as const;
const deep = { kind: 'deep' } as const;
const element = { kind: 'element' } as const;

/** The problem of a path, in words. */
export class RulePathError extends Error {
  override readonly name = 'RulePathError';
}

/** Such as `email`, `address.street`, `contacts.*.phone`, `tags[]`, `orders[].card`, `**.email` and `` `first.name` ``. */
export const parseFieldPath = (path: string): readonly RuleSegment[] => {
  const segments: RuleSegment[] = [];
  let at = 0;
  for (;;) {
    const [segment, next] = segmentAt(path, at, fieldName);
    if (segment.kind === 'name') assertFieldName(segment.name);
    segments.push(segment);
    at = next;
    for (let match = elements.exec(path.slice(at)); match; match = elements.exec(path.slice(at))) {
      segments.push(element);
      at += match[0].length;
    }
    if (at === path.length) break;
    if (path[at] !== '.') throw new RulePathError(unexpected(path, at));
    at += 1;
  }
  return checked(segments);
};

// Such as `users`, `users/*/orders`, `**/orders` and `*`, which means all collections at any depth, as `**` does.
export const parseCollectionPath = (path: string): readonly RuleSegment[] => {
  if (path === '*') return [deep];
  const segments: RuleSegment[] = [];
  for (let at = 0; ; at += 1) {
    const [segment, next] = segmentAt(path, at, collectionName);
    segments.push(segment);
    at = next;
    if (at === path.length) break;
    if (path[at] !== '/') throw new RulePathError(unexpected(path, at));
  }
  if (!segments.includes(deep) && segments.length % 2 === 0)
    throw new RulePathError('must be the path of a collection, such as users, users/*/orders, **/orders or *');
  return checked(segments);
};

const fieldName = /^[^.`*[\]/\\]+/;
const collectionName = /^[^`*/\\]+/;
const quoted = /^`((?:[^`\\]|\\[`\\])+)`/;
const elements = /^\[\*?\]/;

/** The segment at a position, and where it ends. */
const segmentAt = (path: string, at: number, name: RegExp): readonly [RuleSegment, number] => {
  const rest = path.slice(at);
  const stars = /^\*+/.exec(rest)?.[0].length ?? 0;
  if (stars > 2) throw new RulePathError(unexpected(path, at + 2));
  if (stars > 0) return [stars === 2 ? deep : anyName, at + stars];
  const inQuotes = quoted.exec(rest);
  if (inQuotes) return [{ kind: 'name', name: (inQuotes[1] ?? '').replaceAll(/\\([`\\])/g, '$1') }, at + inQuotes[0].length];
  const plain = name.exec(rest)?.[0];
  if (plain === undefined) throw new RulePathError(unexpected(path, at));
  return [{ kind: 'name', name: plain }, at + plain.length];
};

const unexpected = (path: string, at: number): string =>
  at >= path.length
    ? 'must not end with a separator'
    : `has an unexpected ${JSON.stringify([...path.slice(at)][0])} at character ${at + 1}; a * stands for whole segments, [] for elements of an array, and names with special characters belong in back-quotes`;

const assertFieldName = (name: string): void => {
  if (name === '__name__')
    throw new RulePathError('must not be __name__: a masked copy keeps the names of documents, so that references stay valid');
  if (/^__.*__$/s.test(name)) throw new RulePathError(`must not name the reserved field ${name}`);
};

const checked = (segments: readonly RuleSegment[]): readonly RuleSegment[] => {
  if (segments.length > segmentsMax) throw new RulePathError(`must have at most ${segmentsMax} segments`);
  if (segments.filter((one) => one === deep).length > 1) throw new RulePathError('must contain ** at most once');
  return segments;
};

/**
 * Whether one path can match both. Compares every pair of segments once, so that the cost is bounded however many wildcards there are:
 * 200 rules are 20,000 pairs.
 */
export const canOverlap = (a: readonly RuleSegment[], b: readonly RuleSegment[]): boolean => {
  // `below[m]`: whether the rests of `a` after n and of `b` after m can match the same path.
  let below = restsOfNothing(b);
  for (let n = a.length - 1; n >= 0; n--) {
    const first = a[n] as RuleSegment;
    const row = new Uint8Array(b.length + 1);
    row[b.length] = first.kind === 'deep' ? (below[b.length] ?? 0) : 0;
    for (let m = b.length - 1; m >= 0; m--) {
      const second = b[m] as RuleSegment;
      // `**` of either side stands for nothing, or for the segment of the other side.
      if (first.kind === 'deep' || second.kind === 'deep') row[m] = (below[m] ?? 0) | (row[m + 1] ?? 0);
      else row[m] = isCompatible(first, second) ? (below[m + 1] ?? 0) : 0;
    }
    below = row;
  }
  return below[0] === 1;
};

/** Only `**` can stand for no segments. */
const restsOfNothing = (b: readonly RuleSegment[]): Uint8Array => {
  const row = new Uint8Array(b.length + 1);
  row[b.length] = 1;
  for (let m = b.length - 1; m >= 0 && b[m]?.kind === 'deep'; m--) row[m] = 1;
  return row;
};

const isCompatible = (a: RuleSegment, b: RuleSegment): boolean => {
  if (a.kind === 'any' || b.kind === 'any') return true;
  return a.kind === 'name' && b.kind === 'name' ? a.name === b.name : a.kind === b.kind;
};

/** How specific a path is; compared number by number. Names count most, then array elements, then `*`; `**` makes it less. */
export const specificityOf = (segments: readonly RuleSegment[]): readonly number[] => {
  const count = (kind: RuleSegment['kind']): number => segments.filter((one) => one.kind === kind).length;
  return [count('name'), count('element'), count('any'), -count('deep')];
};
