/** Documents of a backup are found by path, id and values, a page at a time; the source is not read, and erased ones are not found. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { proto, type Value } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { searchDocuments } from '../../../../shared/document/index.ts';
import type { SearchRequest } from '../../../../shared/document/search/search-documents.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import type { Fields } from '../../../harness/env/archive-env.ts';
import { createErasureEnv, eraseDocuments } from '../../../harness/env/erasure-env.ts';

const t = await createErasureEnv();

interface Options extends Partial<SearchRequest['query']> {
  readonly limit?: number;
  readonly after?: string | undefined;
  /** Seconds that pass at each look at the clock. */
  readonly passing?: number;
}

const search = (q: string, { limit = 50, after, passing = 0, ...query }: Options = {}) => {
  let ms = t.clock.now().getTime();
  const now = (): Date => {
    ms += passing * 1_000;
    return new Date(ms);
  };
  const time = { ...t.clock, now };
  const request = {
    tenant: t.tenant,
    now: t.clock.now(),
    query: { q, dryRun: 'false', projectId: t.projectId, ...query },
    page: { limit, after },
  } as const;
  return searchDocuments(request, { deps: t.deps, time });
};
const pathsOf = async (q: string, options: Options = {}): Promise<readonly string[]> =>
  (await search(q, options)).data.matches.map(({ path }) => path);
/** Follows the pages to the end. */
const walk = async (q: string, options: Options = {}): Promise<readonly string[]> => {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { data, next } = await search(q, { ...options, after });
    found.push(...data.matches.map(({ path }) => path));
    after = next;
  } while (after !== undefined);
  return found;
};

const text = (stringValue: string): Fields[string] => ({ stringValue });
const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const moment = (seconds: number): Fields[string] => ({ timestampValue: { seconds: BigInt(seconds), nanos: 0 } });

const people = {
  'users/ada': {
    email: text('Ada@Example.com'),
    total: integer(100),
    at: moment(1_767_225_600),
    profile: {
      mapValue: {
        fields: new Map([
          ['city', encode(text('London'))],
          ['a.b', encode(integer(1))],
        ]),
      },
    },
    tags: { arrayValue: { values: [encode(text('VIP customer')), encode(integer(5))] } },
    note: { nullValue: 'NULL_VALUE' },
  },
  'users/bob': {
    email: text('bob@example.com'),
    total: { doubleValue: 100.5 },
    at: moment(1_769_904_000),
    paid: { booleanValue: true },
  },
  'users/bob/orders/ada': { total: integer(-5), note: text('é and "quotes"') },
  'orders/7': { total: text('100'), buyer: { referenceValue: '' } },
} satisfies Record<string, Fields>;

const start = async () => {
  t.reset();
  const root = `projects/${t.sourceProjectId}/databases/(default)/documents/`;
  await t.put({ ...people, 'orders/7': { ...people['orders/7'], buyer: { referenceValue: `${root}users/ada` } } });
  return t.takeBackup();
};

test('search: conditions find what a query of Firestore would, and parts of texts', async () => {
  await start();
  const all = ['orders/7', 'users/ada', 'users/bob', 'users/bob/orders/ada'];
  const [order, ada, bob, below] = all as [string, string, string, string];
  const cases: Readonly<Record<string, readonly string[]>> = {
    'email == "Ada@Example.com"': [ada],
    'email == "ada@example.com"': [],
    'email contains "ada@EXAMPLE"': [ada],
    '"example.COM"': [ada, bob],
    '"customer"': [ada],
    '"users/ada"': [order, ada],
    'total == 100': [ada],
    'total == 100.0': [ada],
    'total > 100': [bob],
    'total >= 100': [ada, bob],
    'total < 0': [below],
    'total != 100': [order, bob, below],
    'total exists and total < "2"': [order],
    'at >= 2026-01-01 and at < 2026-02-01': [ada],
    'profile.city == "London"': [ada],
    'profile.`a.b` == 1': [ada],
    'profile exists': [ada],
    'tags contains 5': [ada],
    'tags contains "vip"': [ada],
    'paid == true': [bob],
    'note == null': [ada],
    'note != "x"': [below],
    'note contains "É AND"': [below],
    'buyer == users/ada': [order],
    'missing != 1': [],
  };
  for (const [q, expected] of Object.entries(cases)) deepEqual(await pathsOf(q), expected, q);
  deepEqual(await pathsOf('total exists', { collection: 'orders' }), [order, below]);
  deepEqual(await pathsOf('total exists', { collection: 'users/bob/orders' }), [below]);
});

test('search: integers and doubles are compared exactly, and infinities equal themselves', async () => {
  t.reset();
  await t.put({
    'n/above': { n: { integerValue: 9_007_199_254_740_993n } },
    'n/at': { n: { doubleValue: 9_007_199_254_740_992 } },
    'n/infinite': { n: { doubleValue: Number.POSITIVE_INFINITY } },
    'n/none': { n: { doubleValue: Number.NaN } },
  });
  await t.takeBackup();
  const [above, at, infinite] = ['n/above', 'n/at', 'n/infinite'];
  const cases = {
    'n > 9007199254740992.0': [above, infinite],
    'n < 9007199254740993': [at],
    'n >= 9007199254740992.0': [above, at, infinite],
    'n >= 1e999': [infinite],
    'n <= 1e999': [above, at, infinite],
  };
  for (const [q, expected] of Object.entries(cases)) deepEqual(await pathsOf(q), expected, q);
});

test('search: a path and an id are found at any depth, with the document', async () => {
  const { id: backupId, readTime } = await start();
  const { data, next, change } = await search('users/ada', { backupId });
  deepEqual(
    [data.backupId, data.projectId, data.readTime, data.kind, next],
    [backupId, t.projectId, readTime, 'path', undefined],
  );
  deepEqual((data.matches[0]!.fields as Fields).email, { stringValue: 'Ada@Example.com' });
  deepEqual(change.audit[0]!.details, { projectId: t.projectId, path: 'users/ada' });
  const byId = (await search('ada')).data;
  deepEqual(
    byId.matches.map(({ path, fields }) => [path, Object.keys(fields ?? {}).length]),
    [
      ['users/ada', 6],
      ['users/bob/orders/ada', 2],
    ],
  );
  ok(byId.scanned.bytes < (await search('"ada"')).data.scanned.bytes, 'names alone are read');
  deepEqual(await pathsOf('users/nobody'), []);
  deepEqual(await pathsOf('users/ada', { collection: 'orders' }), []);
  const inParts = await Promise.all([1, 2, 3].map((number) => pathsOf('users/ada', { part: `${number}/3` })));
  deepEqual(inParts.flat(), ['users/ada']);
  // The values that were searched for are not in the audit log.
  const audited = JSON.stringify((await search('email == "secret@example.com" and "word"')).change.audit);
  ok(audited.includes('email, *') && !/secret|word/.test(audited), audited);
});

test('search: pages and parts together find each document once, also if the time is always up', async () => {
  t.reset();
  const numbers = Array.from({ length: 5_000 }, (_, n) => n);
  await t.put(
    Object.fromEntries(
      numbers.map((n) => [`items/i${String(n).padStart(5, '0')}`, { n: integer(n), even: { booleanValue: n % 2 === 0 } }]),
    ),
  );
  const backup = await t.takeBackup();
  const even = numbers.filter((n) => n % 2 === 0).map((n) => `items/i${String(n).padStart(5, '0')}`);
  deepEqual(await walk('even == true', { limit: 70 }), even);
  deepEqual(await walk('even == true', { limit: 1_000, passing: 5 }), even);
  const parts = await Promise.all([1, 2, 3].map((number) => walk('even == true', { limit: 100, part: `${number}/3` })));
  ok(parts.every((part) => part.length > 700));
  deepEqual(parts.flat(), even);
  t.server.faults.resetCalls();
  const { data } = await search('n >= 0', { dryRun: 'true' });
  deepEqual([data.matches, data.scanned, data.plan.documents, data.plan.parts], [[], { documents: 0, bytes: 0 }, 5_000, 1]);
  ok(data.plan.bytes > 0 && data.plan.bytes <= backup.size && data.plan.estimatedUsd > 0 && data.plan.seconds >= 1);
  const none = await search('n == -1');
  deepEqual([none.data.scanned.documents, none.next], [5_000, undefined]);
  equal(Math.round(none.data.scanned.bytes / data.plan.bytes), 1);
  deepEqual(t.server.faults.calls, {}, 'the source is not read');

  // A newer backup does not change a search that has begun.
  const first = await search('even == true', { limit: 10 });
  await t.put({ 'items/i00000': undefined });
  await t.takeBackup();
  equal((await search('even == true', { limit: 10, after: first.next })).data.backupId, backup.id);
  await rejects(search('even == false', { limit: 10, after: first.next }), { code: 'VALIDATION_ERROR' });
});

test('search: erased documents are not found, by path, id or value', async () => {
  await start();
  await eraseDocuments(t, { paths: ['users/ada'] });
  deepEqual(
    [await pathsOf('users/ada'), await pathsOf('ada'), await pathsOf('email contains "ada"')],
    [[], ['users/bob/orders/ada'], []],
  );
  await eraseDocuments(t, { query: { field: 'email', value: 'bob@example.com' } });
  deepEqual(await pathsOf('email exists'), []);
});

test('search: what cannot be searched says so', async () => {
  const { id: backupId } = await start();
  const refused = { code: 'VALIDATION_ERROR' };
  await rejects(search('a == 1', { collection: 'users/ada' }), refused);
  for (const part of ['0/2', '3/2', '1/65', 'x']) await rejects(search('a == 1', { part }), refused);
  const addressIn = (project: string): string => `projects/${project}/databases/(default)/documents/users/ada`;
  await rejects(search(addressIn('elsewhere')), { ...refused, message: /names the database/ });
  deepEqual(await pathsOf(addressIn(t.sourceProjectId)), ['users/ada']);
  await rejects(search('a == 1', { backupId: newId('backup') }), { code: 'BACKUP_NOT_FOUND' });
  const other = newId('project');
  await rejects(search('a == 1', { projectId: other }), { code: 'PROJECT_NOT_FOUND' });
  t.table.put({ ...t.table.get(projectKey.project(t.tenant, t.projectId))!, ...projectKey.project(t.tenant, other), id: other });
  await rejects(search('a == 1', { projectId: other }), { code: 'BACKUP_NOT_FOUND' });
  await rejects(search('a == 1', { projectId: other, backupId }), { code: 'BACKUP_NOT_FOUND' });
});
