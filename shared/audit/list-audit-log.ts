/** Reads the log, newest first. An entry past its retention counts as deleted, whether or not the table has removed it yet. */
import { countryOfAddress, epochSeconds, query, type Tenant } from '../platform/index.ts';
import { type Filter, matchesSearch, rangeOf } from './audit-filter.ts';
import type { AuditLogEntry, AuditRecord } from './record.ts';

/** Reads per call, and entries (or 1 MB of them) per read. */
const readsMax = 2;
const entriesPerRead = 1_000;

/**
 * One page. `next` is undefined only at the end of the range. With a filter, a page may be short or even empty and still have a
 * `next`, because one call reads a limited number of entries.
 */
export const listEntries = async (
  tenant: Tenant,
  page: Filter & { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ items: readonly AuditLogEntry[]; next: string | undefined }> => {
  const range = rangeOf(tenant, page);
  const found: AuditRecord[] = [];
  // One more than requested, to learn whether there is a next page.
  const isFiltered = page.search !== undefined || Object.keys(range.where ?? {}).length > 0;
  const limit = isFiltered ? entriesPerRead : page.limit + 1;
  const isListed = isShown(page, now);
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query<AuditRecord>({ ...range, after, limit });
    found.push(...read.items.filter(isListed));
    if (found.length > page.limit) return { items: await entriesOf(found.slice(0, page.limit)), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { items: await entriesOf(found), next: undefined };
    after = read.next;
  }
  return { items: await entriesOf(found), next: after };
};

/** All entries of the filter, one read (up to 1 MB) at a time. */
export async function* readEntries(tenant: Tenant, filter: Filter, now: Date): AsyncGenerator<readonly AuditLogEntry[]> {
  const range = rangeOf(tenant, filter);
  const isListed = isShown(filter, now);
  let after: string | undefined;
  do {
    const read = await query<AuditRecord>({ ...range, after });
    yield await entriesOf(read.items.filter(isListed));
    after = read.next;
  } while (after !== undefined);
}

const isShown =
  (filter: Filter, now: Date) =>
  (record: AuditRecord): boolean =>
    record.ttl > epochSeconds(now) && matchesSearch(record, filter);

const entriesOf = (records: readonly AuditRecord[]): Promise<readonly AuditLogEntry[]> => Promise.all(records.map(entryOf));

/** An entry as the API shows it. Where no proxy knew the location, it is the country of the address. */
const entryOf = async (record: AuditRecord): Promise<AuditLogEntry> => {
  const { id, timestamp, action, actor, resource, organization, context, details } = record;
  const location = context.location ?? (await countryOfAddress(context.ip));
  return { id, timestamp, action, actor, resource, organization, context: { ...context, location }, details };
};
