import { Pending } from '../base/pending.ts';
import type { PathKey, StoredDocument } from '../base/types.ts';
import type { ScanOptions } from '../storage/base-documents.ts';
import { compareValues } from '../value/compare-values.ts';
import { project } from '../value/field-mask.ts';
import type { Value } from '../value/value.ts';
import { compareToBound } from './bound.ts';
import { fieldValue } from './field-access.ts';
import { nearestOf } from './find-nearest.ts';
import { isByName } from './order.ts';
import type { Plan } from './plan.ts';

/** Iterates over documents in key order. */
export type Scan = (from: PathKey, to: PathKey, options?: ScanOptions) => Iterable<StoredDocument | Pending>;

/** Whether a document in the plan's range matches the query, regardless of order, cursors and limit. */
export const matches =
  (plan: Plan) =>
  (document: StoredDocument): boolean =>
    (!plan.isMember || plan.isMember(document.key)) &&
    (!plan.filter || plan.filter(document)) &&
    plan.orders.every(({ field }) => field.isName || fieldValue(document, field) !== undefined);

/**
 * The results of a plan, in order. Name order is read lazily; any other order is sorted in memory.
 * `skipped` receives the number of documents skipped by the offset, before the first result.
 */
export function* executePlan(
  plan: Plan,
  scan: Scan,
  skipped: (count: number) => void = () => {},
): Generator<StoredDocument | Pending> {
  const inOrder = isByName(plan.orders) ? walkByName(plan, scan) : sorted(plan, scan);
  const ordered = plan.nearest ? nearestOf(inOrder, plan.nearest) : inOrder;
  let passed = 0;
  let remaining = plan.limit ?? Number.POSITIVE_INFINITY;
  if (remaining === 0) return;
  for (const document of ordered) {
    if (document instanceof Pending) {
      yield document;
      continue;
    }
    if (passed < plan.offset) {
      if (++passed === plan.offset) skipped(passed);
      continue;
    }
    yield plan.select ? projected(document, plan.select) : document;
    if (--remaining === 0) return;
  }
  if (passed < plan.offset) skipped(passed);
}

/** The document with a subset of its fields. */
export const projected = (document: StoredDocument, select: NonNullable<Plan['select']>): StoredDocument => {
  const { key, path, createTime, updateTime } = document;
  return { key, path, createTime, updateTime, bytes: project(document.bytes, select) };
};

function* walkByName(plan: Plan, scan: Scan): Generator<StoredDocument | Pending> {
  const backwards = plan.orders[0]?.descending ?? false;
  const isMatch = matches(plan);
  const isAll = !plan.isMember && !plan.filter && plan.orders.length === 1;
  for (const document of scan(plan.from, plan.to, { backwards, segments: plan.segments }))
    if (isAll || document instanceof Pending || isMatch(document)) yield document;
}

interface Candidate {
  readonly document: StoredDocument;
  readonly tuple: readonly Value[];
}

function* sorted(plan: Plan, scan: Scan): Generator<StoredDocument | Pending> {
  const { orders, start, end } = plan;
  const isMatch = matches(plan);
  const found: Candidate[] = [];
  const compare = (a: Candidate, b: Candidate): number => {
    for (const [i, { field, descending }] of orders.entries()) {
      const order = field.isName
        ? compareKeys(a.document.key, b.document.key)
        : compareValues(a.tuple[i] as Value, b.tuple[i] as Value);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  };
  // Memory is bounded by what is wanted. The nearest of all documents are found later.
  const wanted = plan.nearest || plan.limit === undefined ? Number.POSITIVE_INFINITY : plan.offset + plan.limit;
  const sortedAt = wanted + unwantedMax;
  for (const document of scan(plan.from, plan.to, { segments: plan.segments })) {
    if (document instanceof Pending) {
      yield document;
      continue;
    }
    if (!isMatch(document)) continue;
    const tuple = orders.map(({ field }) => fieldValue(document, field) as Value);
    if (start) {
      const side = compareToBound(tuple, start, orders);
      if (side < 0 || (side === 0 && !start.before)) continue;
    }
    if (end) {
      const side = compareToBound(tuple, end, orders);
      if (side > 0 || (side === 0 && end.before)) continue;
    }
    found.push({ document, tuple });
    if (found.length >= sortedAt) found.sort(compare).splice(wanted);
  }
  found.sort(compare);
  for (const { document } of found) yield document;
}

/** Documents that are collected beyond those that a limit wants, before they are sorted and dropped. */
const unwantedMax = 10_000;

const compareKeys = (a: PathKey, b: PathKey): number => (a < b ? -1 : a > b ? 1 : 0);
