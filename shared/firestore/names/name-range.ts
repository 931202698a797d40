import { afterSubtree } from '../../archive/index.ts';
import { omitUndefined } from '../../platform/index.ts';
import { compareTextNames } from './name-order.ts';

/**
 * Documents from `from` (inclusive) to `to` (exclusive); an omitted end is open. Names are paths relative to the documents root
 * and need not exist.
 */
export interface NameRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The smallest possible document id. */
const leastId = '__id-9223372036854775808__';

/** Whether a text is a valid collection path: an odd number of valid ids, collection ids not reserved. */
export const isCollectionPath = (path: string): boolean => {
  const ids = path.split('/');
  return ids.length % 2 === 1 && ids.every((id, n) => isId(id) && (n % 2 === 1 || !reserved.test(id)));
};

/** Whether a text is the id of a collection, at any depth. */
export const isCollectionId = (id: string): boolean => !id.includes('/') && isCollectionPath(id);

/** Whether a text is a valid document path; numeric ids such as `__id7__` come from Datastore. */
export const isDocumentPath = (path: string): boolean => {
  const cut = path.lastIndexOf('/');
  return cut > 0 && isCollectionPath(path.slice(0, cut)) && isId(path.slice(cut + 1));
};

/** All documents of a collection at any depth. The next possible collection id is its own id with a NUL appended. */
export const collectionRange = (path: string): NameRange => {
  if (!isCollectionPath(path)) throw new TypeError('not a collection path');
  return below(path);
};

/** Like `collectionRange`, for a collection path that the source returned. */
export const below = (path: string): { readonly from: string; readonly to: string } => ({
  from: `${path}/${leastId}`,
  to: `${path}\0/${leastId}`,
});

/** One document, optionally with everything below it. */
export const documentRange = (path: string, withBelow: boolean): { readonly from: string; readonly to: string } => ({
  from: path,
  to: withBelow ? afterSubtree(Buffer.from(path)).toString() : justAfter(path),
});

/** The smallest name after a document: resumes after it, including its subcollections. */
export const justAfter = (path: string): string => `${path}/\0/${leastId}`;

/**
 * The ranges to read: everything or the included collections, minus the excluded ones, each with everything below it. Ascending;
 * ranges do not touch.
 */
export const scopeOf = (include: readonly string[] | undefined, exclude: readonly string[] = []): readonly NameRange[] => {
  const isAll = include === undefined || include.includes('*');
  const scope = isAll ? [{}] : union(include.map(collectionRange));
  return exclude.length === 0 ? scope : intersection(scope, gapsBetween(union(exclude.map(collectionRange))));
};

/** The intersection of two scopes, each ascending as returned by `scopeOf`. */
export const intersection = (a: readonly NameRange[], b: readonly NameRange[]): readonly NameRange[] => {
  const both: NameRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left = {}, right = {}] = [a[i], b[j]];
    const endsFirst = compareEnd(left.to, right.to) < 0;
    const from = compareStart(left.from, right.from) < 0 ? right.from : left.from;
    const range = rangeOf(from, endsFirst ? left.to : right.to);
    if (isSome(range)) both.push(range);
    if (endsFirst) i += 1;
    else j += 1;
  }
  return both;
};

/** Splits the scope at the points inside it: every name of the scope is in exactly one range. */
export const tile = (scope: readonly NameRange[], points: Iterable<string>): readonly NameRange[] => {
  const sorted = [...new Set(points)].sort(compareTextNames);
  return scope.flatMap(({ from, to }) => {
    const inside = sorted.filter((point) => compareStart(from, point) < 0 && compareEnd(point, to) < 0);
    return [from, ...inside].map((start, n) => rangeOf(start, inside[n] ?? to));
  });
};

export const isInRange = (name: string, { from, to }: NameRange): boolean =>
  (from === undefined || compareTextNames(from, name) <= 0) && (to === undefined || compareTextNames(name, to) < 0);

const reserved = /^__.*__$/s;
const isId = (id: string): boolean =>
  id !== '' && id !== '.' && id !== '..' && id.isWellFormed() && Buffer.byteLength(id) <= 1_500;

/** An omitted start sorts before every name, an omitted end after. */
const compareStart = (a: string | undefined, b: string | undefined): number => {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareTextNames(a, b);
};
const compareEnd = (a: string | undefined, b: string | undefined): number => {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compareTextNames(a, b);
};

const union = (ranges: readonly NameRange[]): NameRange[] => {
  const joined: NameRange[] = [];
  for (const range of ranges.toSorted((a, b) => compareStart(a.from, b.from))) {
    const last = joined.at(-1);
    if (last && (last.to === undefined || range.from === undefined || compareTextNames(range.from, last.to) <= 0))
      joined[joined.length - 1] = rangeOf(last.from, compareEnd(last.to, range.to) < 0 ? range.to : last.to);
    else joined.push(range);
  }
  return joined;
};

/** The gaps before, between and after ascending ranges. Linear: a request may name ten thousand of them. */
const gapsBetween = (ranges: readonly NameRange[]): readonly NameRange[] =>
  [undefined, ...ranges].map((before, n) => rangeOf(before?.to, ranges[n]?.from));

const isSome = ({ from, to }: NameRange): boolean => from === undefined || to === undefined || compareTextNames(from, to) < 0;

const rangeOf = (from: string | undefined, to: string | undefined): NameRange => omitUndefined({ from, to });
