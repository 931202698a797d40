/** A search that filters speed up finds the same as a scan, in full and incremental backups, with erased documents and without filters. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { proto, type Value } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { filterShareMax } from '../../../../shared/archive/index.ts';
import { type BackupRecord, openArchive } from '../../../../shared/stored-backup/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { randomTree } from '../../../harness/builders/random-tree.ts';
import { chance } from '../../../harness/builders/sample-archive.ts';
import { takeLink } from '../../../harness/env/chain-env.ts';
import { createErasureEnv, eraseDocuments } from '../../../harness/env/erasure-env.ts';
import { runVerification } from '../../../harness/env/run-verification.ts';
import { nameSearchFields, type SearchOptions, searchIn } from '../../../harness/env/search-fields.ts';
import { type EncodedFields, writeDocuments } from '../../../harness/firestore/write-documents.ts';

const t = await createErasureEnv();

const search = (q: string, options: SearchOptions) => searchIn(t, q, options);
const nameFields = (fields: readonly string[]): void => nameSearchFields(t, fields);

const write = (documents: Iterable<readonly [string, EncodedFields | undefined]>): Promise<void> =>
  writeDocuments(t.server, t.sourceProjectId, documents);

const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const random = chance('indexed search');
const padding = (): Uint8Array => encode({ stringValue: random(450).toString('hex') });
const emailOf = (n: number): string => `user${n}@example.com`;

/** A document with unique and repeated values besides what a random one has. */
const document = (n: number, more: EncodedFields): EncodedFields =>
  new Map([
    ...more,
    ['email', encode({ stringValue: emailOf(n) })],
    ['total', encode(n % 2 === 0 ? { integerValue: BigInt(n) } : { doubleValue: n })],
    ['padding', padding()],
  ]);

const bulk = (from: number, to: number): [string, EncodedFields][] =>
  Array.from({ length: to - from }, (_, k) => [`bulk/d${String(from + k).padStart(5, '0')}`, document(from + k, new Map())]);

/** The value as a query writes it; undefined if none can. */
const literalOf = (encoded: Uint8Array): string | undefined => {
  const value = proto.Value.decode(encoded);
  if (value.stringValue !== undefined) return JSON.stringify(value.stringValue);
  if (value.booleanValue !== undefined) return String(value.booleanValue);
  if (value.nullValue !== undefined) return 'null';
  if (value.integerValue !== undefined) return String(value.integerValue);
  if (value.doubleValue !== undefined)
    return Number.isFinite(value.doubleValue) ? String(value.doubleValue).replace('+', '') : undefined;
  if (value.referenceValue !== undefined) return 'users/ada';
  if (value.timestampValue) {
    const at = new Date(Number(value.timestampValue.seconds) * 1_000).toISOString();
    const fraction = String(value.timestampValue.nanos ?? 0).padStart(9, '0');
    return `${at.slice(0, 19)}.${fraction}Z`;
  }
  return undefined;
};

const quotedNames = new Map([
  ['a', 'a'],
  ['text', 'text'],
  ['a.b', '`a.b`'],
]);

/** Values that random documents have in the named fields, nested ones, too. */
const conditionsIn = (tree: ReadonlyMap<string, EncodedFields>): readonly string[] => {
  const found = new Set<string>();
  for (const fields of tree.values())
    for (const [name, encoded] of fields) {
      const quoted = quotedNames.get(name);
      if (quoted === undefined) continue;
      const literal = literalOf(encoded);
      if (literal !== undefined && literal.length < 300) found.add(`${quoted} == ${literal}`);
      for (const [inner, value] of proto.Value.decode(encoded).mapValue?.fields ?? []) {
        const innerLiteral = !quotedNames.has(inner) ? undefined : literalOf(value);
        if (innerLiteral !== undefined && innerLiteral.length < 300)
          found.add(`${quoted}.${quotedNames.get(inner)} == ${innerLiteral}`);
      }
    }
  return [...found];
};

const fields = ['email', 'total', 'a', 'text', '`a.b`', 'a.text', 'text.a', 'missing'];

/** Everything but how much was read. */
const resultOf = async (q: string, options: Parameters<typeof search>[1]) => {
  const { matches, next, kind } = await search(q, options);
  return { q, kind, next, matches };
};

const filtersOf = (backup: BackupRecord): Map<string, Buffer> =>
  new Map([...t.storeOf(backup).objects].filter(([name]) => name.startsWith('filter/')) as [string, Buffer][]);

const without = async <T>(backups: readonly BackupRecord[], work: () => Promise<T>): Promise<T> => {
  const kept = backups.map((backup) => [backup, filtersOf(backup)] as const);
  for (const [backup, filters] of kept) for (const name of filters.keys()) t.storeOf(backup).objects.delete(name);
  try {
    return await work();
  } finally {
    for (const [backup, filters] of kept) for (const [name, bytes] of filters) t.storeOf(backup).objects.set(name, bytes);
  }
};

const verify = ({ id }: BackupRecord) => runVerification(t, id, 'full');

test('indexed search: it finds the same as a scan, whatever is searched for', async () => {
  for (let seed = 1; seed <= propertyRuns({ usual: 1, fuzz: 20 }); seed++) {
    t.reset();
    nameFields(fields);
    const tree = randomTree(seed, 250, `projects/${t.sourceProjectId}/databases/(default)/documents`);
    await write([...tree].map(([path, more], n) => [path, document(100_000 + n, more)]));
    await write(bulk(0, 2_500));
    const full = await t.takeBackup();
    await write([...bulk(0, 900).filter((_, n) => n % 3 === 0), ...bulk(2_500, 2_900)]);
    await write(bulk(1_000, 1_200).map(([path]) => [path, undefined]));
    const next = await takeLink(t);
    equal(next.type, 'incremental');
    const backups = [full, next];
    const all = conditionsIn(tree);
    const some = Array.from({ length: 14 }, (_, n) => all[Math.floor((n * all.length) / 14)]!);
    const path = [...tree.keys()].find((one) => !/[\s"<>=!]/.test(one.split('/').at(-1)!))!;
    const queries = [
      ...new Set(some),
      ...[7, 301, 1_100, 2_600, 99_999].map((n) => `email == "${emailOf(n)}"`),
      ...['total == 300', 'total == 301', 'total == 301.0', 'total == 0.5', 'total == -0', 'total == 99999999'],
      `email == "${emailOf(600)}" and total == 600`,
      `email == "${emailOf(600)}" and total == 601`,
      `email == "${emailOf(600)}" and padding exists`,
      `email == "${emailOf(601)}" and total > 600`,
      `missing == null`,
      `email != "${emailOf(1)}" and total == 2`,
      'total > 2890',
      '"user2899@"',
      'd00300',
      path.split('/').at(-1)!,
      'd99999',
    ];
    const runs = queries.flatMap((q) => backups.map(({ id: backupId }) => [q, { backupId, limit: 40 }] as const));
    const compare = async (): Promise<void> => {
      const indexed: unknown[] = [];
      for (const [q, options] of runs) indexed.push(await resultOf(q, options));
      const scanned = await without(backups, async () => {
        const found: unknown[] = [];
        for (const [q, options] of runs) found.push(await resultOf(q, options));
        return found;
      });
      deepEqual(indexed, scanned);
      ok(scanned.some((one) => (one as { matches: unknown[] }).matches.length === 1));
    };
    await compare();
    for (const { id: backupId } of backups) {
      const found = await search(`email == "${emailOf(2_000)}"`, { backupId });
      const all = await search('padding exists', { backupId, dryRun: 'true' });
      equal(found.matches.length, 1);
      deepEqual([found.plan.indexed, all.plan.indexed], [true, false]);
      deepEqual([found.plan.total, all.plan.documents], [all.plan.total, all.plan.total]);
      ok(
        found.scanned.documents <= found.plan.documents && found.plan.documents < all.plan.documents / 2,
        JSON.stringify([found, all.plan]),
      );
      ok(found.scanned.bytes > 0 && found.scanned.bytes < all.plan.bytes / 2);
    }
    // Pages go on where a scan goes on.
    const { next: cursor } = await search('a exists', { backupId: full.id, limit: 3 });
    ok(cursor);
    const open = await openArchive(t.tenant, { backup: next, deps: t.deps });
    const { filters = [], objects } = open.archive.manifest;
    open.close();
    deepEqual(new Set(filters.map(({ backup }) => backup)), new Set([full.id, next.id]));
    for (const { backup, name, size } of filters) {
      const chunk = objects.find((one) => one.backup === backup && one.name === name.replace('filter', 'chunk'))!;
      ok(size <= chunk.size * filterShareMax);
    }
    for (const backup of backups) equal((await verify(backup))?.status, 'passed');
    await eraseDocuments(t, { paths: ['bulk/d00007', 'bulk/d02600'] });
    await compare();
    await eraseDocuments(t, { query: { field: 'email', value: emailOf(301) } });
    await compare();
    for (const n of [7, 301, 2_600])
      for (const { id: backupId } of backups) equal((await search(`email == "${emailOf(n)}"`, { backupId })).matches.length, 0);
  }
});

test('indexed search: what is read does not tell what an erased document had', async () => {
  t.reset();
  nameFields(['email', 'total']);
  await write(bulk(0, 3_000));
  const full = await t.takeBackup();
  await write(bulk(1_500, 1_501).map(([path]) => [path, undefined]));
  const next = await takeLink(t);
  const read = async ({ id: backupId }: BackupRecord, q: string) => {
    const { plan, scanned, matches } = await search(q, { backupId });
    equal(matches.length, 0, q);
    return { plan: { documents: plan.documents, bytes: plan.bytes }, scanned };
  };
  const absent = `email == "nobody@example.com"`;
  const had = `email == "${emailOf(1_500)}"`;
  equal((await read(next, absent)).scanned.documents, 0);
  ok((await search(had, { backupId: full.id })).matches.length === 1);
  await eraseDocuments(t, { paths: ['bulk/d01500'] });
  for (const backup of [full, next]) deepEqual(await read(backup, had), await read(backup, absent));
  // Found by another value than the one it is erased by.
  await eraseDocuments(t, { query: { field: 'email', value: emailOf(2_222) } });
  for (const backup of [full, next]) {
    deepEqual(await read(backup, `email == "${emailOf(2_222)}"`), await read(backup, absent));
    deepEqual(await read(backup, 'total == 2222'), await read(backup, 'total == 0.5'));
  }
  ok((await read(full, absent)).scanned.documents < 2_500, 'other leaves are still ruled out');
  // Filters do not tell which documents have a value in a field that they do not cover.
  await eraseDocuments(t, { query: { field: 'padding', value: 'x' } });
  equal((await read(full, absent)).scanned.documents, 2_998);
});

test('indexed search: a damaged filter is no reason to find less, and a verification reports it', async () => {
  t.reset();
  nameFields(['email']);
  await write(bulk(0, 3_000));
  const backup = await t.takeBackup();
  const { objects } = t.storeOf(backup);
  const [[name, bytes] = []] = filtersOf(backup);
  const q = `email == "${emailOf(2_999)}"`;
  const good = await search(q, { backupId: backup.id });
  const bad = Buffer.from(bytes!);
  bad[bad.length - 40] = bad[bad.length - 40]! ^ 1;
  objects.set(name!, bad);
  const found = await search(q, { backupId: backup.id });
  deepEqual([found.matches, found.plan.indexed, found.scanned.documents], [good.matches, false, 3_000]);
  ok(good.scanned.documents < 1_500);
  const verification = await verify(backup);
  deepEqual(
    [verification?.status, verification?.findings.map(({ object, problem }) => [object, problem])],
    ['failed', [[name, 'corrupt']]],
  );
  objects.delete(name!);
  const missing = await verify(backup);
  deepEqual(
    missing?.findings.map(({ object, problem }) => [object, problem]),
    [[name, 'missing']],
  );
});

test('indexed search: without fields a backup has no filters, and other fields are scanned', async () => {
  t.reset();
  await write(bulk(0, 2_000));
  const plain = await t.takeBackup();
  equal(filtersOf(plain).size, 0);
  nameFields(['total']);
  const named = await t.takeBackup();
  equal(filtersOf(named).size, 1);
  equal(
    named.size,
    [...t.storeOf(named).objects.values()].reduce((sum, { length }) => sum + length, 0),
  );
  for (const backup of [plain, named]) {
    const found = await search(`email == "${emailOf(1_000)}"`, { backupId: backup.id });
    deepEqual([found.matches.length, found.plan.indexed, found.scanned.documents], [1, false, 2_000]);
    deepEqual(found.plan.fields, [{ path: 'email', named: false }]);
  }
  // What names no field that is compared with == has nothing to name.
  deepEqual((await search('total > 5 and padding exists', { backupId: plain.id })).plan.fields, []);
  // The older backup has no filters of a field that was named after it.
  const older = await search('total == 100 and email == "x" and total == 101', { backupId: plain.id });
  deepEqual(older.plan.fields, [
    { path: 'total', named: true },
    { path: 'email', named: false },
  ]);
  equal(older.plan.indexed, false);
  // An incremental backup of an older one searches what it inherits, and rules out only leaves that it has filters of.
  await write(bulk(2_000, 4_000));
  const next = await takeLink(t);
  const found = await search('total == 100', { backupId: next.id });
  deepEqual([next.type, found.matches.length], ['incremental', 1]);
});
