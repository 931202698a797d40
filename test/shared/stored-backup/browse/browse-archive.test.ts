/** Browsing a stored backup: collections, documents and one document, with few reads. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { compareTextNames } from '../../../../shared/firestore/index.ts';
import { browseBackup } from '../../../../shared/stored-backup/index.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

const t = await createArchiveEnv();

const text = (stringValue: string): Fields => ({ text: { stringValue } });

/** All pages of a listing, with at most `limit` entries each. */
const listAll = async (
  backup: Parameters<typeof browseBackup>[1]['backup'],
  {
    path,
    limit,
    showMissing = false,
    descendants = false,
    startAt,
  }: {
    readonly path: string;
    readonly limit: number;
    readonly showMissing?: boolean | undefined;
    readonly descendants?: boolean | undefined;
    readonly startAt?: string | undefined;
  },
) => {
  const query = {
    path,
    showMissing: showMissing ? 'true' : 'false',
    descendants: descendants ? 'true' : 'false',
    startAt,
  } as const;
  const entries: Awaited<ReturnType<typeof browseBackup>>['entries'][number][] = [];
  let next: string | undefined;
  do {
    const page = await browseBackup(t.tenant, { backup, query, page: { limit, after: next }, deps: t.deps });
    ok(page.entries.length <= limit && (page.next === undefined || page.entries.length > 0));
    entries.push(...page.entries);
    next = page.next;
  } while (next !== undefined);
  return entries;
};

await t.put(Object.fromEntries(awkward.map((path) => [path, text(path)])));
const backup = await t.takeBackup();

/** The expected contents, derived from the paths. */
const inOrder = (ids: Iterable<string>): string[] => [...new Set(ids)].sort(compareTextNames);
const parentPaths = inOrder(
  awkward.flatMap((path) =>
    path
      .split('/')
      .map((_, n, parts) => parts.slice(0, n).join('/'))
      .slice(1),
  ),
);
const documentsIn = (parentPath: string): string[] =>
  inOrder(awkward.filter((path) => path.slice(0, path.lastIndexOf('/')) === parentPath));
const below = (parentPath: string): string[] =>
  inOrder(
    awkward
      .filter((path) => parentPath === '' || path.startsWith(`${parentPath}/`))
      .map((path) =>
        path
          .split('/')
          .slice(0, parentPath === '' ? 1 : parentPath.split('/').length + 1)
          .join('/'),
      ),
  );

for (const limit of [1, 2, 100])
  test(`browse: every path of a database with unusual names lists its contents, ${limit} per page`, async () => {
    const roots = await listAll(backup, { path: '', limit });
    deepEqual(
      roots.map(({ path }) => path),
      below(''),
    );
    for (const { type, id, path, documents } of roots)
      deepEqual([type, id, documents], ['collection', path, documentsIn(path).length]);
    for (const parentPath of parentPaths) {
      const isCollection = parentPath.split('/').length % 2 === 1;
      const entries = await listAll(backup, { path: parentPath, limit });
      if (isCollection) {
        deepEqual(
          entries.map(({ path }) => path),
          documentsIn(parentPath),
          parentPath,
        );
        for (const { type, name, fields, createTime, updateTime, path } of entries) {
          deepEqual([type, name, createTime], ['document', `${t.root}/${path}`, updateTime]);
          equal(JSON.stringify(fields), JSON.stringify({ text: { stringValue: path } }));
        }
        const all = await listAll(backup, { path: parentPath, limit, showMissing: true });
        deepEqual(
          all.map(({ path }) => path),
          below(parentPath),
        );
        deepEqual(
          all.filter(({ missing }) => !missing),
          entries,
        );
      } else {
        const itself = awkward.includes(parentPath) ? [parentPath] : [];
        deepEqual(
          entries.map(({ path }) => path),
          [...itself, ...below(parentPath)],
          parentPath,
        );
        deepEqual(
          entries.map(({ type }) => type),
          [...itself.map(() => 'document'), ...below(parentPath).map(() => 'collection')],
        );
      }
    }
  });

test('browse: a missing parent shows its subcollections only', async () => {
  deepEqual(await listAll(backup, { path: 'gone/1', limit: 10 }), [
    { type: 'collection', path: 'gone/1/also-gone', id: 'also-gone', documents: 0 },
  ]);
  deepEqual(await listAll(backup, { path: 'gone', limit: 10 }), []);
  deepEqual(await listAll(backup, { path: 'gone', limit: 10, showMissing: true }), [
    { type: 'document', path: 'gone/1', id: '1', missing: true },
  ]);
});

test('browse: with descendants it lists the documents of all depths below a path, in order, from a given one on', async () => {
  const within = (path: string): string[] => inOrder(awkward.filter((one) => path === '' || one.startsWith(`${path}/`)));
  for (const path of ['', ...parentPaths])
    for (const limit of [1, 100]) {
      const entries = await listAll(backup, { path, limit, descendants: true });
      deepEqual(
        entries.map((entry) => entry.path),
        within(path),
        path,
      );
      ok(entries.every(({ type, fields }) => type === 'document' && fields !== undefined));
    }
  const all = within('');
  for (const startAt of all) {
    const entries = await listAll(backup, { path: '', limit: 3, descendants: true, startAt });
    deepEqual(
      entries.map(({ path }) => path),
      all.slice(all.indexOf(startAt)),
    );
    const collection = startAt.slice(0, startAt.lastIndexOf('/'));
    const siblings = documentsIn(collection);
    const direct = await listAll(backup, { path: collection, limit: 2, startAt });
    deepEqual(
      direct.map(({ path }) => path),
      siblings.slice(siblings.indexOf(startAt)),
    );
  }
  // A first document that does not exist, behind all others.
  const [last = ''] = all.slice(-1);
  deepEqual(await listAll(backup, { path: '', limit: 5, descendants: true, startAt: `${last}/zzz/zzz` }), []);
});

test('browse: a first document must be below the path, and needs a list of documents', async () => {
  const [one = ''] = awkward;
  const collection = one.slice(0, one.lastIndexOf('/'));
  for (const [path, descendants, startAt] of [
    ['', false, one],
    ['', true, collection],
    [collection, false, 'elsewhere/x'],
  ] as const)
    await rejects(listAll(backup, { path, limit: 5, descendants, startAt }), { code: 'VALIDATION_ERROR' });
});

test('browse: an unknown path answers NOT_FOUND, a malformed one VALIDATION_ERROR', async () => {
  const page = { limit: 10, after: undefined };
  const at = (path: string) => browseBackup(t.tenant, { backup, query: { path, showMissing: 'false' }, page, deps: t.deps });
  for (const path of ['nobody', 'a/none', 'a/x/none', 'a/x/b/none', 'a/x/b/y/none', 'zz', 'A', 'a/x/b/y/c/z/d'])
    await rejects(at(path), { code: 'NOT_FOUND' }, path);
  for (const path of ['/', '/a', 'a/', 'a//b', 'a/.', '..', 'a/../b', '__x__', 'a/x/__y__', 'a/\ud800', `a/${'l'.repeat(1_501)}`])
    await rejects(
      at(path),
      {
        code: 'VALIDATION_ERROR',
        details: { field: 'path', reason: 'must be a collection or document path, such as users or users/ada' },
      },
      path,
    );
});

test('browse: a cursor is valid for its own list only', async () => {
  const ask = (path: string, after?: string, showMissing: 'true' | 'false' = 'false') =>
    browseBackup(t.tenant, { backup, query: { path, showMissing }, page: { limit: 1, after }, deps: t.deps });
  const { next } = await ask('a');
  ok(next);
  await rejects(ask('z', next), { code: 'VALIDATION_ERROR' });
  await rejects(ask('a', next, 'true'), { code: 'VALIDATION_ERROR' });
  await ask('a', next);
});

test('browse: every access is audited with its path', async () => {
  const { change } = await browseBackup(t.tenant, {
    backup,
    query: { path: 'a/x', showMissing: 'false' },
    page: { limit: 1, after: undefined },
    deps: t.deps,
  });
  deepEqual(change, {
    writes: [],
    audit: [
      {
        scope: t.tenant.organizationId,
        resource: { type: 'backup', id: backup.id },
        details: { projectId: backup.projectId, path: 'a/x' },
      },
    ],
  });
});

test('browse: only a completed backup can be read', async () => {
  const look = (status: string) =>
    browseBackup(t.tenant, {
      backup: { ...backup, status } as never,
      query: { path: '', showMissing: 'false' },
      page: { limit: 1, after: undefined },
      deps: t.deps,
    });
  await rejects(look('deleted'), { code: 'BACKUP_NOT_FOUND' });
  for (const status of ['pending', 'running', 'failed', 'cancelled', 'expired'])
    await rejects(look(status), { code: 'CONFLICT' });
});

test('browse: errors of the store, the manifest and the key are distinguished', async () => {
  const store = t.storeOf(backup);
  const ask = () =>
    browseBackup(t.tenant, {
      backup,
      query: { path: 'a/x', showMissing: 'false' },
      page: { limit: 1, after: undefined },
      deps: t.deps,
    });
  const manifest = store.objects.get('manifest')!;
  store.objects.delete('manifest');
  await rejects(ask(), { code: 'STORAGE_ERROR', details: { step: 'read', reason: 'missing' } });
  const other = Uint8Array.from(manifest);
  other[other.length - 1]! ^= 1;
  store.objects.set('manifest', other);
  await rejects(ask(), (error: { code: string; details: { reason: string; object: string } }) => {
    deepEqual([error.code, error.details.reason, error.details.object], ['STORAGE_ERROR', 'corrupt', 'manifest']);
    return true;
  });
  store.objects.set('manifest', manifest);
  const [name] = [...store.objects.keys()].filter((one) => one.startsWith('chunk/'));
  const chunk = store.objects.get(name!)!;
  store.objects.set(
    name!,
    chunk.map((byte, n) => (n === chunk.length >> 1 ? byte ^ 1 : byte)),
  );
  await rejects(ask(), (error: { code: string; details: { reason: string; object: string } }) => {
    deepEqual([error.code, error.details.reason, error.details.object], ['STORAGE_ERROR', 'corrupt', name]);
    return true;
  });
  store.objects.set(name!, chunk);
  await ask();
});

// Last, because these tests replace the backup above.
test('browse: one document takes a few reads, and subtrees are skipped', async () => {
  t.reset();
  const filler = 'x'.repeat(900);
  const documents = ['users/a', 'users/b', 'users/c'].flatMap((user) => [
    [user, text(user)],
    ...Array.from({ length: 1_500 }, (_, n) => [`${user}/notes/${n}`, text(`${filler}${n}`)]),
  ]);
  await t.put(Object.fromEntries(documents));
  const large = await t.takeBackup();
  const reads: number[] = [];
  t.wrapStore = (store) =>
    new Proxy(store, {
      get: (target, key) => {
        if (key === 'get')
          return async (...args: Parameters<typeof target.get>) => {
            const bytes = await target.get(...args);
            reads.push(bytes.length);
            return bytes;
          };
        const value = Reflect.get(target, key) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const look = async (path: string) => {
    reads.length = 0;
    const { entries } = await browseBackup(t.tenant, {
      backup: large,
      query: { path, showMissing: 'false' },
      page: { limit: 50, after: undefined },
      deps: t.deps,
    });
    return entries.map((entry) => entry.path);
  };
  deepEqual(await look('users/b/notes/77'), ['users/b/notes/77']);
  ok(reads.length <= 3, String(reads));
  deepEqual(await look('users/c'), ['users/c', 'users/c/notes']);
  deepEqual(await look('users'), ['users/a', 'users/b', 'users/c']);
  // The manifest, the page, and the leaves where the three begin and end.
  ok(reads.length <= 7, String(reads));
});

test('browse: a response stays below the size limit of a function for documents of any size', async () => {
  t.reset();
  const huge = 'x'.repeat(900_000);
  const flags = Array.from({ length: 300_000 }, () => flag);
  await t.put(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`a/${n}`, text(`${huge}${n}`)])));
  await t.put({ 'b/1': { flags: { arrayValue: { values: flags } } } });
  const whole = await t.takeBackup();
  const look = (path: string, after?: string) =>
    browseBackup(t.tenant, { backup: whole, query: { path, showMissing: 'false' }, page: { limit: 50, after }, deps: t.deps });
  const first = await look('a');
  ok(first.next !== undefined && Buffer.byteLength(JSON.stringify(first.entries)) < 6_000_000);
  const rest = await look('a', first.next);
  deepEqual(
    [...first.entries, ...rest.entries].map(({ id }) => id),
    ['0', '1', '2', '3', '4', '5', '6', '7'],
  );
  const [one] = (await look('b/1')).entries;
  deepEqual([one!.id, one!.fieldsTooLarge, one!.fields], ['1', true, undefined]);
});
const flag = proto.Value.encode({ booleanValue: true });
