import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { type AuditLogEntry, exportEntries, type Filter, listEntries } from '../../../shared/audit/index.ts';
import { idBounds, unsafeTenant } from '../../../shared/platform/index.ts';
import { scriptAws } from '../../harness/aws/scripted-aws.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
afterAll(aws.stop);

const org = 'org_1';
const tenant = unsafeTenant(org, 'record');
const start = Date.UTC(2030, 0, 1);
const now = new Date(Date.UTC(2030, 1, 1));
const minute = 60_000;

interface Kind {
  readonly action: string;
  readonly isExpired: boolean;
}

/** One entry per minute, newest last. */
const seed = (kinds: readonly Kind[], details: object = {}): string[] => {
  const table = new InMemoryTable();
  const ids = kinds.map(({ action, isExpired }, n) => {
    const at = new Date(start + n * minute);
    const { first: id } = idBounds('audit', at, at);
    table.put({
      pk: `AUDIT#${org}`,
      sk: `ENTRY#${id}`,
      id,
      timestamp: at.toISOString(),
      action,
      actor: { type: 'user', id: `usr_${n % 3}`, email: null },
      resource: { type: 'thing', id: 'x' },
      organization: { id: org },
      context: { ip: null, userAgent: '=1+1', location: null, requestId: 'r' },
      details,
      ttl: now.getTime() / 1_000 + (isExpired ? 0 : 1),
    });
    return id;
  });
  aws.play(table.script);
  return ids;
};

/** Follows the cursors to the end. */
const readAll = async (filter: Filter, limit: number): Promise<{ ids: string[]; pages: number[] }> => {
  const ids: string[] = [];
  const pages: number[] = [];
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await listEntries(tenant, { ...filter, limit, after: next }, now);
    ids.push(...page.items.map(({ id }) => id));
    pages.push(page.items.length);
    next = page.next;
  }
  return { ids, pages };
};

test('listEntries: the pages contain every matching entry once, newest first', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ action: fc.constantFrom('a', 'b'), isExpired: fc.boolean() }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom(undefined, 'a', 'c'),
      async (kinds, limit, action) => {
        const ids = seed(kinds);
        const expected = ids.filter((_, n) => !kinds[n]!.isExpired && (!action || kinds[n]!.action === action)).toReversed();
        const { ids: seen, pages } = await readAll({ action }, limit);
        deepEqual(seen, expected);
        // Without expired entries and filters every page but the last is full, and only a single page may be empty.
        if (!action && kinds.every(({ isExpired }) => !isExpired)) {
          ok(pages.slice(0, -1).every((length) => length === limit));
          ok(pages.length === 1 || pages.at(-1)! > 0);
        }
      },
    ),
    { numRuns: 60 },
  ));

const fresh = (count: number, action = (_: number) => 'a'): Kind[] =>
  Array.from({ length: count }, (_, n) => ({ action: action(n), isExpired: false }));

test('listEntries: a page without a filter takes one read of the table', async () => {
  seed(fresh(10));
  equal((await listEntries(tenant, { limit: 5, after: undefined }, now)).items.length, 5);
  equal(aws.calls.length, 1);
});

test('listEntries: a filter that matches almost nothing takes a bounded number of reads and has a next cursor', async () => {
  const ids = seed(fresh(5_000, (n) => (n === 0 ? 'rare' : 'a')));
  const first = await listEntries(tenant, { action: 'rare', limit: 50, after: undefined }, now);
  deepEqual(first.items, []);
  ok(first.next);
  equal(aws.calls.length, 2);
  deepEqual((await readAll({ action: 'rare' }, 50)).ids, [ids[0]]);
});

test('listEntries: date, actor, resource and text are combined, in the list and in the export', async () => {
  const ids = seed(fresh(30));
  const filter = { from: new Date(start + 10 * minute).toISOString(), to: new Date(start + 20 * minute).toISOString() };
  deepEqual((await readAll(filter, 100)).ids, ids.slice(10, 21).toReversed());
  deepEqual((await readAll({ ...filter, actorId: 'usr_0' }, 100)).ids, [ids[18], ids[15], ids[12]]);
  deepEqual((await readAll({ ...filter, resourceType: 'other' }, 100)).ids, []);
  deepEqual((await readAll({ ...filter, resourceId: 'y' }, 100)).ids, []);
  deepEqual((await readAll({ ...filter, resourceId: 'x', search: 'THING usr_0' }, 2)).ids, [ids[18], ids[15], ids[12]]);
  deepEqual((await readAll({ id: ids[7] }, 100)).ids, [ids[7]]);
  const exported = JSON.parse(
    await exportEntries(tenant, { ...filter, search: 'usr_0', format: 'json' }, now),
  ) as AuditLogEntry[];
  deepEqual(
    exported.map(({ id }) => id),
    [ids[18], ids[15], ids[12]],
  );
});

test('exportEntries: the file contains the whole range; formulas are neutralized in CSV and unchanged in JSON', async () => {
  const ids = seed(fresh(2_500));
  const rows = parseCsv(await exportEntries(tenant, { format: 'csv' }, now));
  deepEqual(
    rows.slice(1).map(([id]) => id),
    ids.toReversed(),
  );
  equal(rows[1]![rows[0]!.indexOf('context.userAgent')], "'=1+1");
  const json = JSON.parse(await exportEntries(tenant, { format: 'json' }, now)) as AuditLogEntry[];
  equal(json.length, 2_500);
  equal(json[0]!.context.userAgent, '=1+1');
  deepEqual(Object.keys(json[0]!), ['id', 'timestamp', 'action', 'actor', 'resource', 'organization', 'context', 'details']);
});

test('exportEntries: an empty range is a header, or an empty list', async () => {
  seed([]);
  equal(parseCsv(await exportEntries(tenant, { format: 'csv' }, now)).length, 1);
  deepEqual(JSON.parse(await exportEntries(tenant, { format: 'json' }, now)), []);
});

// A Lambda response is at most 6 MB of JSON, in which every quote takes two bytes.
test('exportEntries: a range that is too large is refused with one that fits', async () => {
  seed(fresh(2_000), { quotes: '"'.repeat(1_000) });
  for (const format of ['csv', 'json'] as const) {
    let fitsFrom = '';
    await rejects(
      exportEntries(tenant, { format }, now),
      (error: { code: string; message: string; details: { fitsFrom: string; field: string } }) => {
        equal(error.code, 'VALIDATION_ERROR');
        equal(error.details.field, 'from');
        fitsFrom = error.details.fitsFrom;
        ok(error.message.includes(fitsFrom));
        return true;
      },
    );
    const text = await exportEntries(tenant, { from: fitsFrom, format }, now);
    ok(JSON.stringify(text).length <= 5 * 1_024 * 1_024 + 1_000);
    ok(JSON.stringify(text).length > 4 * 1_024 * 1_024);
  }
});
