/** A walk decides every document once, hands over the live document, and reads no more than it must. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import type { MergeMode } from '../../../../shared/contract/models/restore.ts';
import { compareTextNames, justAfter, SourceError } from '../../../../shared/firestore/index.ts';
import { findMissing } from '../../../../shared/restore/scope/find-missing.ts';
import { restoreScope } from '../../../../shared/restore/scope/restore-scope.ts';
import { splitIntoShards } from '../../../../shared/restore/scope/split-into-shards.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { refuses } from '../../../harness/builders/sample-archive.ts';
import {
  archiveOf,
  everything,
  type Fields,
  type Records,
  server,
  Target,
  text,
  walk,
} from '../../../harness/env/restore/document-walk-env.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

const all = (paths: readonly string[], value: string): Record<string, Fields> =>
  Object.fromEntries(paths.map((path) => [path, text(value)]));
const numbered = (collection: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${collection}/${String(n).padStart(6, '0')}`);

test('walk: unusual ids, and documents without a parent document, are decided like any other', async () => {
  const target = new Target();
  const [first, second, third] = [0, 1, 2].map((k) => awkward.filter((_, n) => n % 3 === k)) as [string[], string[], string[]];
  await target.put({ ...all(first, 'same'), ...all(second, 'other') });
  const made = archiveOf('elsewhere', all([...first, ...third], 'same'));
  const { decided } = await walk(made, target, { mergeMode: 'rollback' });
  deepEqual(
    decided,
    awkward
      .toSorted(compareTextNames)
      .map((path) => [path, first.includes(path) ? 'unchanged' : second.includes(path) ? 'delete' : 'create']),
  );
  // Parents of restored documents are not restored.
  ok(!decided.some(([path]) => path === 'gone/1' || path === 'a/x\n'));
});

test('walk: a rollback deletes nothing outside the backup and the requested scope', async () => {
  const target = new Target();
  await target.put(all(['users/new', 'users/new/orders/1', 'users/ada/secrets/1', 'logs/1', 'users!/1', 'orders/1'], 'x'));
  const made = archiveOf('elsewhere', all(['users/ada'], 'x'));
  const covered = { collections: ['users', 'logs'], excludedCollections: ['users/ada/secrets'] };
  const deleted = async (more: object) =>
    (await walk(made, target, { mergeMode: 'rollback', covered, ...more })).decided
      .filter(([, action]) => action === 'delete')
      .map(([path]) => path);
  deepEqual(await deleted({}), ['logs/1', 'users/new', 'users/new/orders/1']);
  deepEqual(await deleted({ collections: ['users'] }), ['users/new', 'users/new/orders/1']);
  deepEqual(await deleted({ collections: ['users'], includeSubcollections: false }), ['users/new']);
  deepEqual(await deleted({ collections: ['orders'] }), []);
  deepEqual(await deleted({ documents: ['users/new'] }), ['users/new', 'users/new/orders/1']);
  deepEqual(await deleted({ documents: ['users/new'], includeSubcollections: false }), ['users/new']);
  deepEqual(await deleted({ documents: ['users/ada/secrets/1', 'orders/1'] }), []);
});

test('walk: other modes neither delete nor report documents that the backup lacks', async () => {
  const target = new Target();
  await target.put(all(['a/1', 'a/3'], 'x'));
  const made = archiveOf('elsewhere', all(['a/2'], 'x'));
  for (const mergeMode of ['overwrite', 'skip_existing', 'merge'] as const)
    deepEqual((await walk(made, target, { mergeMode })).decided, [['a/2', 'create']]);
});

test('walk: the subtree of a requested document is included, unless it is excluded', async () => {
  const target = new Target();
  const made = archiveOf('elsewhere', all(['u/a', 'u/a/o/1', 'u/a/o/1/i/1', 'u/a!', 'u/b', 'u/ghost/o/1'], 'x'));
  const created = async (more: object) => (await walk(made, target, more)).decided.map(([path]) => path);
  deepEqual(await created({ documents: ['u/a', 'u/none', 'u/ghost'] }), ['u/a', 'u/a/o/1', 'u/a/o/1/i/1', 'u/ghost/o/1']);
  deepEqual(await created({ documents: ['u/a', 'u/a/o/1'], includeSubcollections: false }), ['u/a', 'u/a/o/1']);
  deepEqual(await created({ collections: ['u'], includeSubcollections: false }), ['u/a', 'u/a!', 'u/b']);
  deepEqual(await created({ collections: ['u/a/o'] }), ['u/a/o/1', 'u/a/o/1/i/1']);
  deepEqual(await created({ collections: ['none'] }), []);
});

test('walk: one document out of many costs one index page, one leaf and one read of the target', async () => {
  const target = new Target();
  const paths = numbered('many', 3_000);
  const value = 'x'.repeat(2_000);
  const { archive, bucket } = archiveOf('elsewhere', all(paths, value));
  await target.put(all(paths.slice(1_000, 1_100), 'other'));
  for (const path of [paths[0]!, paths[1_050]!, paths[2_999]!]) {
    const fresh = bucket.open(archive.manifest);
    bucket.fetches = [];
    const { decided, reads } = await walk({ archive: fresh, bucket }, target, { documents: [path] });
    deepEqual([decided.length, reads, bucket.fetches.length], [1, 1, 2]);
    // The steps before the walk add two: the leaf's keys, and the page if not cached.
    const prepared = bucket.open(archive.manifest);
    bucket.fetches = [];
    const names = { collections: ['*'], given: [[path, [path]]] as const, includeSubcollections: true };
    deepEqual((await findMissing(prepared, names))?.missing.notFound, []);
    const scope = restoreScope(
      { mergeMode: 'overwrite', collections: ['*'], includeSubcollections: true, undoOf: null },
      everything,
      [path],
    );
    equal((await splitIntoShards(prepared, scope)).length, 1);
    equal(bucket.fetches.length, 2);
  }
});

test('walk: the contents of every document to write are opened before the visit; others need not be', async () => {
  const paths = numbered('c', 2_000);
  const value = 'y'.repeat(3_000);
  const target = new Target();
  await target.put(all(paths, value));
  const live = target.live();
  const { bucket, archive } = archiveOf(target.projectId, live);
  const bytesFetched = async (mergeMode: MergeMode) => {
    bucket.fetches = [];
    await walk({ archive: bucket.open(archive.manifest), bucket }, target, { mergeMode });
    return bucket.fetches.reduce((sum, { length }) => sum + length, 0);
  };
  // Most leaves are not fetched: the update time decides.
  const whole = [...bucket.objects.values()].reduce((sum, { length }) => sum + length, 0);
  ok((await bytesFetched('overwrite')) < whole);
  // A corrupt body is found before the visit of its document.
  const chunk = [...bucket.objects.keys()].find((name) => name.includes('chunk'))!;
  const damaged = Buffer.from(bucket.objects.get(chunk)!);
  damaged[damaged.length - 40] = damaged[damaged.length - 40]! ^ 1;
  bucket.objects.set(chunk, damaged);
  const empty = new Target();
  const told: string[] = [];
  const onVisit = ({ name }: { name: Buffer }) => void told.push(name.toString()) as undefined;
  await refuses(walk({ archive: bucket.open(archive.manifest), bucket }, empty, { onVisit }), 'tag-mismatch');
  ok(told.length > 0 && told.length < 2_000 && !told.includes(paths.at(-1)!));
});

test('walk: bodies that were not prefetched are fetched when needed', async () => {
  const paths = numbered('c', 1_500);
  const target = new Target();
  await target.put(all(paths, 'z'.repeat(5_000)));
  const made = archiveOf(target.projectId, target.live());
  // All are the same up to the last ones, which are gone.
  const gone = paths.slice(-3);
  await target.put(Object.fromEntries(gone.map((path) => [path, undefined])));
  const { decided } = await walk(made, target);
  deepEqual(
    decided.filter(([, action]) => action !== 'unchanged'),
    gone.map((path) => [path, 'create']),
  );
  equal(decided.length, 1_500);
});

test('walk: a target full of out-of-scope documents is queried by name instead of scanned', async () => {
  const target = new Target();
  const theirs = numbered('mixed', 12_000);
  await target.put(all(theirs, 'x'));
  const ours = theirs.filter((_, n) => n % 1_000 === 0);
  const made = archiveOf('elsewhere', all([...ours, 'mixed/999999'], 'x'));
  const { decided, reads, isWhole } = await walk(made, target);
  deepEqual(decided, [...ours.map((path) => [path, 'unchanged']), ['mixed/999999', 'create']]);
  ok(isWhole && reads < 8_000, `${reads}`);
  // Excluded subcollections are not queried.
  const deep = Object.keys(all(numbered('mixed/000000/deep', 3_000), 'x'));
  await target.put(all(deep, 'x'));
  const flat = await walk(archiveOf('elsewhere', all([...ours, ...deep], 'x')), target, { includeSubcollections: false });
  deepEqual(
    flat.decided,
    ours.map((path) => [path, 'unchanged']),
  );
  ok(flat.reads < 6_000, `${flat.reads}`);
  // Documents before the backup's first one are not read.
  const [last] = [theirs.at(-1)!];
  ok((await walk(archiveOf('elsewhere', all([last], 'x')), target)).reads < 10);
  // An empty backup causes no calls.
  equal((await walk(made, target, { collections: ['none'] })).reads, 0);
  equal((await walk(made, target, { collections: ['mixed'], mergeMode: 'rollback' })).decided.length, 15_001);
});

test('walk: a walk that ended early is continued behind what it reached, and the parts add up to the whole', async () => {
  const target = new Target();
  await target.put({ ...all(numbered('a', 700), 'x'), ...all(numbered('b', 300), 'x') });
  const made = archiveOf('elsewhere', { ...all(numbered('a', 600), 'x'), ...all(numbered('c', 200), 'x') });
  for (const mergeMode of ['overwrite', 'rollback'] as const) {
    const whole = await walk(made, target, { mergeMode });
    const parts: (readonly [string, string])[] = [];
    let from: string | undefined;
    let runs = 0;
    for (let isWhole = false; !isWhole; runs++) {
      const walked = await walk(made, target, { mergeMode, bound: from === undefined ? {} : { from }, isOver: () => true });
      parts.push(...walked.decided);
      ({ isWhole } = walked);
      if (isWhole) break;
      from = justAfter(walked.reached!);
      ok(walked.decided.every(([path]) => compareTextNames(path, from!) < 0));
    }
    ok(runs > 5);
    deepEqual(parts, whole.decided);
  }
});

test('walk: an asynchronous visit is awaited, and its decision stays valid meanwhile', async () => {
  const target = new Target();
  const paths = numbered('v', 500);
  await target.put(all(paths, 'w'.repeat(900)));
  const live = target.live();
  let underWay = 0;
  const walked = await walk(archiveOf('elsewhere', all(paths, 'x')), target, {
    onVisit: async ({ name, live: bytes }) => {
      equal(++underWay, 1);
      const path = name.toString();
      await new Promise((resolve) => setImmediate(resolve));
      equal(name.toString(), path);
      deepEqual(Buffer.from(bytes!), live[path]);
      underWay -= 1;
    },
  });
  equal(walked.decided.length, 500);
});

test('walk: large documents are looked up in small groups, and every one is decided', async () => {
  const target = new Target();
  const paths = numbered('large', 60);
  await target.put(all(paths, 'l'.repeat(700_000)));
  const made = archiveOf('elsewhere', all([...paths, 'large/none'], 'x'));
  const { decided, reads } = await walk(made, target, { documents: [...paths, 'large/none'] });
  deepEqual(decided, [...paths.map((path) => [path, 'overwrite']), ['large/none', 'create']]);
  ok(reads < 130, `${reads}`);
});

test('walk: an error of the target and an abort signal end the walk with their reason', async () => {
  const target = new Target();
  const paths = numbered('a', 2_000);
  await target.put(all(paths, 'y'.repeat(500)));
  const made = archiveOf('elsewhere', all(paths, 'x'));
  const ended = (code: string) => (error: unknown) => error instanceof SourceError && error.code === code;
  server.faults.add({ method: 'RunQuery', status: 'PERMISSION_DENIED' });
  await rejects(walk(made, target), ended('SOURCE_AUTH_ERROR'));
  // The first call asks for the time.
  server.faults.add({ method: 'BatchGetDocuments', status: 'PERMISSION_DENIED', call: 3 });
  await rejects(walk(made, target, { documents: paths }), ended('SOURCE_AUTH_ERROR'));
  server.faults.clear();
  for (const documents of [undefined, paths]) {
    const { signal, ...aborting } = withSignal();
    const onVisit = () => aborting.abort() as undefined;
    await rejects(walk(made, target, { ...(documents && { documents }), signal, onVisit }), ended('CANCELLED'));
  }
});

const withSignal = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};

const collection = fc.constantFrom<string>('a', 'b', 'a!', 'é');
const id = fc.constantFrom('1', '2', 'x', 'x!', '__id3__', '__id-4__', '~');
const path = fc.array(fc.tuple(collection, id), { minLength: 1, maxLength: 3 }).map((parts) => parts.flat().join('/'));
const tree = fc.dictionary(path, fc.constantFrom('one', 'two'), { maxKeys: 25 });

test('walk: for random trees it decides the same as a plain comparison', async () => {
  const isBelow = (one: string, of: string): boolean => one === of || one.startsWith(`${of}/`);
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        archived: tree,
        gone: fc.uniqueArray(path, { maxLength: 5 }),
        there: tree,
        mergeMode: fc.constantFrom<MergeMode>('overwrite', 'skip_existing', 'merge', 'rollback'),
        collections: fc.oneof(fc.constant<string[]>(['*']), fc.uniqueArray(collection, { minLength: 1, maxLength: 2 })),
        documents: fc.option(fc.uniqueArray(path, { minLength: 1, maxLength: 5 }), { nil: undefined }),
        includeSubcollections: fc.boolean(),
        isUndo: fc.boolean(),
        perShard: fc.constantFrom(3, 1_000),
      }),
      async ({ archived, gone, there, mergeMode, collections, documents, includeSubcollections, isUndo, perShard }) => {
        const target = new Target();
        await target.put(Object.fromEntries(Object.entries(there).map(([at, value]) => [at, text(value)])));
        const records: Records = {
          ...Object.fromEntries(gone.map((at) => [at, undefined])),
          ...Object.fromEntries(Object.entries(archived).map(([at, value]) => [at, text(value)])),
        };
        const isMeant = (at: string): boolean => {
          if (isUndo) return true;
          if (!collections.includes('*') && !collections.some((one) => isBelow(at, one))) return false;
          if (documents) return documents.some((one) => (includeSubcollections ? isBelow(at, one) : at === one));
          return includeSubcollections || at.split('/').length === 2;
        };
        const names = [...new Set([...Object.keys(records), ...Object.keys(there)])].filter(isMeant).sort(compareTextNames);
        const expected = names.flatMap((at) => {
          const [wanted, live] = [archived[at], there[at]];
          if (wanted !== undefined) {
            if (live === undefined) return [[at, 'create']];
            if (!isUndo && mergeMode === 'skip_existing') return [[at, 'skip']];
            return [[at, wanted === live ? 'unchanged' : 'overwrite']];
          }
          if (isUndo) return at in records ? [[at, live === undefined ? 'unchanged' : 'delete']] : [];
          return mergeMode === 'rollback' && live !== undefined ? [[at, 'delete']] : [];
        });
        const made = archiveOf('elsewhere', records, perShard);
        const asked = isUndo ? { mergeMode: 'rollback' as const, undoOf: 'res_1' } : { mergeMode };
        const more = documents ? { documents } : {};
        const walked = await walk(made, target, { ...asked, collections, includeSubcollections, ...more });
        deepEqual(walked.decided, expected);
        target.source.close();
      },
    ),
    { numRuns: propertyRuns({ quick: 40, usual: 150 }) },
  );
});
