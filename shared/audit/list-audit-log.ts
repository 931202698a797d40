/** Reads the log, newest first. An entry past its retention is gone, whether or not the table has cleaned it up yet. */
import type * as z from 'zod';
import type { AuditEntry } from '../contract/endpoints/audit-logs.ts';
import { epochSeconds, type Item, query, type Tenant } from '../platform/index.ts';
import { type Filter, rangeOf } from './audit-filter.ts';

export type Entry = z.input<typeof AuditEntry>;

/** One call reads the log at most this often, and a read looks at most at this many entries (or 1 MB of them). */
const readsMax = 2;
const lookedAtMax = 1_000;

/**
 * One page. `next` is undefined only when the range holds nothing more; a page may be short, even empty, and still
 * have a `next`, where a filter matched little in what one call may read.
 */
export const listEntries = async (
  tenant: Tenant,
  filter: Filter,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ items: readonly Entry[]; next: string | undefined }> => {
  const range = rangeOf(tenant, filter);
  const found: Item[] = [];
  // One more than asked for tells whether there is more, without a second look.
  const limit = Object.keys(range.where ?? {}).length > 0 ? lookedAtMax : page.limit + 1;
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query({ ...range, after, limit });
    found.push(...read.items.filter(isKept(now)));
    if (found.length > page.limit) return { items: found.slice(0, page.limit).map(entryOf), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { items: found.map(entryOf), next: undefined };
    after = read.next;
  }
  return { items: found.map(entryOf), next: after };
};

/** Every entry of the filter, a read (up to 1 MB of the log) at a time. */
export async function* readEntries(tenant: Tenant, filter: Filter, now: Date): AsyncGenerator<readonly Entry[]> {
  const range = rangeOf(tenant, filter);
  let after: string | undefined;
  do {
    const read = await query({ ...range, after });
    yield read.items.filter(isKept(now)).map(entryOf);
    after = read.next;
  } while (after !== undefined);
}

const isKept =
  (now: Date) =>
  (item: Item): boolean =>
    (item.ttl as number) > epochSeconds(now);

/** What the interface shows of a stored entry. */
const entryOf = (item: Item): Entry => {
  const { id, timestamp, action, actor, resource, organization, context, details } = item as unknown as Entry;
  return { id, timestamp, action, actor, resource, organization, context, details };
};
