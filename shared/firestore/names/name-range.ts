import { afterSubtree } from '../../archive/index.ts';
import { compareNames } from './name-order.ts';

/**
 * The documents from one name on up to, and without, another; an end left out is open. Names are paths below the database's
 * documents, and need not be those of documents that exist.
 */
export interface NameRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** No document id comes before it. */
const leastId = '__id-9223372036854775808__';

/** Whether a text can name a collection: an odd number of ids, none of them one that collections or documents cannot have. */
export const isCollectionPath = (path: string): boolean => {
  const ids = path.split('/');
  return ids.length % 2 === 1 && ids.every((id, n) => isId(id) && (n % 2 === 1 || !reserved.test(id)));
};

/** Whether a text can name a document; numeric ids, `__id7__`, are those of Datastore. */
export const isDocumentPath = (path: string): boolean => {
  const cut = path.lastIndexOf('/');
  return cut > 0 && isCollectionPath(path.slice(0, cut)) && isId(path.slice(cut + 1));
};

/** All that lies in a collection, at any depth. The next id that a collection can have is its own with a NUL behind. */
export const collectionRange = (path: string): NameRange => {
  if (!isCollectionPath(path)) throw new TypeError('not the path of a collection');
  return below(path);
};

/** The same for a collection that the source itself has named. */
export const below = (path: string): { readonly from: string; readonly to: string } => ({
  from: `${path}/${leastId}`,
  to: `${path}\0/${leastId}`,
});

/** One document or, with what is below it, all that lies there at any depth. */
export const documentRange = (path: string, withBelow: boolean): { readonly from: string; readonly to: string } => ({
  from: path,
  to: withBelow ? afterSubtree(Buffer.from(path)).toString() : justAfter(path),
});

/** The least name that comes after a document's: where to go on behind it. What is below the document is still to come. */
export const justAfter = (path: string): string => `${path}/\0/${leastId}`;

/**
 * What is to be read: everything or the collections named, without those excluded, each with all below it. Ascending, and no
 * two ranges touch or meet.
 */
export const scopeOf = (include: readonly string[] | undefined, exclude: readonly string[] = []): readonly NameRange[] => {
  const isAll = include === undefined || include.includes('*');
  const scope = isAll ? [{}] : union(include.map(collectionRange));
  return exclude.length === 0 ? scope : intersection(scope, gapsBetween(union(exclude.map(collectionRange))));
};

/** What lies in both of two scopes, each ascending as `scopeOf` gives it. */
export const intersection = (a: readonly NameRange[], b: readonly NameRange[]): readonly NameRange[] => {
  const both: NameRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left = {}, right = {}] = [a[i], b[j]];
    const isLeftFirst = compareEnd(left.to, right.to) < 0;
    const from = compareStart(left.from, right.from) < 0 ? right.from : left.from;
    const range = rangeOf(from, isLeftFirst ? left.to : right.to);
    if (isSome(range)) both.push(range);
    if (isLeftFirst) i += 1;
    else j += 1;
  }
  return both;
};

/** The scope cut at the points that lie inside it: every name of the scope is in exactly one of the ranges. */
export const tile = (scope: readonly NameRange[], points: Iterable<string>): readonly NameRange[] => {
  const sorted = [...new Set(points)].sort(compareNames);
  return scope.flatMap(({ from, to }) => {
    const inside = sorted.filter((point) => compareStart(from, point) < 0 && compareEnd(point, to) < 0);
    return [from, ...inside].map((start, n) => rangeOf(start, inside[n] ?? to));
  });
};

/** Whether a name lies in a range. */
export const isInRange = (name: string, { from, to }: NameRange): boolean =>
  (from === undefined || compareNames(from, name) <= 0) && (to === undefined || compareNames(name, to) < 0);

const reserved = /^__.*__$/s;
const isId = (id: string): boolean =>
  id !== '' && id !== '.' && id !== '..' && id.isWellFormed() && Buffer.byteLength(id) <= 1_500;

/** A start left out comes before every name, an end left out after. */
const compareStart = (a: string | undefined, b: string | undefined): number => {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareNames(a, b);
};
const compareEnd = (a: string | undefined, b: string | undefined): number => {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareNames(a, b);
};

const union = (ranges: readonly NameRange[]): NameRange[] => {
  const joined: NameRange[] = [];
  for (const range of ranges.toSorted((a, b) => compareStart(a.from, b.from))) {
    const last = joined.at(-1);
    if (last && (last.to === undefined || range.from === undefined || compareNames(range.from, last.to) <= 0))
      joined[joined.length - 1] = rangeOf(last.from, compareEnd(last.to, range.to) < 0 ? range.to : last.to);
    else joined.push(range);
  }
  return joined;
};

/** All that lies before, between and behind ranges that ascend. A request may name ten thousand of them: each is looked at once. */
const gapsBetween = (ranges: readonly NameRange[]): readonly NameRange[] =>
  [undefined, ...ranges].map((before, n) => rangeOf(before?.to, ranges[n]?.from));

const isSome = ({ from, to }: NameRange): boolean => from === undefined || to === undefined || compareNames(from, to) < 0;

const rangeOf = (from: string | undefined, to: string | undefined): NameRange => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});
