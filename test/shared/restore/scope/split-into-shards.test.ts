/** Shards: every document lies in exactly one. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import type { NamedPage, Segment } from '../../../../shared/archive/index.ts';
import { Archive } from '../../../../shared/archive/index.ts';
import { compareTextNames, isInRange, type NameRange } from '../../../../shared/firestore/index.ts';
import { type RestoreScope, restoreScope } from '../../../../shared/restore/scope/restore-scope.ts';
import { splitIntoShards } from '../../../../shared/restore/scope/split-into-shards.ts';
import { manifestOf } from '../../../harness/builders/sample-archive.ts';
import { archiveOf, everything, Target, text, walk } from '../../../harness/env/restore/document-walk-env.ts';

const root = 'projects/p/databases/(default)/documents/';
const asked = { mergeMode: 'overwrite', collections: ['*'], includeSubcollections: true, undoOf: null } as const;
const whole: RestoreScope = { ranges: [{}], look: 'scan' };

/** An index of so many pages, segments and records, without anything below it. */
class Large extends Archive {
  opened = 0;
  readonly #bySegment: number;

  constructor(names: readonly string[], perPage: number, perSegment: number) {
    const { archive } = archiveOf('p', { 'a/b': text('x') });
    const [page] = archive.manifest.pages;
    const firsts = names.filter((_, n) => n % perPage === 0);
    const pages = firsts.map((name) => ({
      ...page!,
      first: Buffer.from(name).toString('base64url'),
      segments: perPage,
      records: perPage * perSegment,
    }));
    const [index] = archive.manifest.objects;
    super(manifestOf({ chunk: undefined, index: index!, pages, records: 0, kept: [] }), {
      fetch: () => Promise.reject(new Error('nothing is there')),
      dataKey: () => Buffer.alloc(32),
    });
    this.#names = names;
    this.#perPage = perPage;
    this.#bySegment = perSegment;
  }
  readonly #names: readonly string[];
  readonly #perPage: number;

  override async segmentsOf(page: NamedPage): Promise<readonly Segment[]> {
    this.opened += 1;
    const at = this.pages.indexOf(page) * this.#perPage;
    const names = this.#names.slice(at, at + this.#perPage);
    return names.map((name) => ({ first: Buffer.from(name), count: this.#bySegment, records: this.#bySegment }) as Segment);
  }
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `${root}c/${String(n).padStart(7, '0')}`);

/** One after the other, without a gap, from the least name to the greatest. */
const follow = (bounds: readonly NameRange[]): void => {
  ok(bounds.length >= 1);
  equal(bounds[0]!.from, undefined);
  equal(bounds.at(-1)!.to, undefined);
  for (const [n, { to }] of bounds.slice(0, -1).entries()) {
    equal(to, bounds[n + 1]!.from);
    const next = bounds[n + 1]!.to;
    ok(next === undefined || compareTextNames(to!, next) < 0);
  }
};

test('shards: they have about 50,000 records each, and their bounds are adjacent', async () => {
  const archive = new Large(numbered(2_000), 250, 500);
  const cuts = await splitIntoShards(archive, whole);
  follow(cuts.map(({ bound }) => bound));
  equal(cuts.length, 20);
  for (const { expected } of cuts) equal(expected, 50_000);
});

test('shards: there are at most 1,000, and index pages that need no split are not read', async () => {
  const archive = new Large(numbered(25_000), 5, 40_000);
  const cuts = await splitIntoShards(archive, whole);
  follow(cuts.map(({ bound }) => bound));
  ok(cuts.length > 800 && cuts.length <= 1_000, `${cuts.length}`);
  equal(
    cuts.reduce((sum, { expected }) => sum + expected, 0),
    1e9,
  );
  const small = new Large(numbered(20_000), 10, 100);
  ok((await splitIntoShards(small, whole)).length > 30);
  equal(small.opened, 0);
});

test('shards: pages outside the scope are neither counted nor read', async () => {
  const archive = new Large(numbered(2_000), 250, 500);
  const [from, to] = [numbered(2_000)[600]!.slice(root.length), numbered(2_000)[1_000]!.slice(root.length)];
  const cuts = await splitIntoShards(archive, { ranges: [{ from, to }], look: 'scan' });
  follow(cuts.map(({ bound }) => bound));
  equal(cuts.length, 4);
  equal(
    cuts.reduce((sum, { expected }) => sum + expected, 0),
    200_000,
  );
  ok(archive.opened <= 2, `${archive.opened}`);
  const one = new Large(numbered(2_000), 250, 500);
  const document = restoreScope(asked, everything, ['c/0000700']);
  deepEqual(await splitIntoShards(one, document), [{ bound: {}, expected: 1 }]);
  equal(one.opened, 1);
});

test('shards: an empty backup and an empty scope yield one shard', async () => {
  const { archive } = archiveOf('p', {});
  deepEqual(await splitIntoShards(archive, whole), [{ bound: {}, expected: 0 }]);
  const { archive: some } = archiveOf('p', { 'a/b': text('x') });
  deepEqual(await splitIntoShards(some, { ranges: [], look: 'scan' }), [{ bound: {}, expected: 0 }]);
});

test('shards: users, which sort before all documents, are not split', async () => {
  const users = Array.from({ length: 300 }, (_, n) => `accounts/${String(n).padStart(4, '0')}`);
  const archive = new Large([...users, ...numbered(300)], 100, 1_000);
  const cuts = await splitIntoShards(archive, whole);
  follow(cuts.map(({ bound }) => bound));
  for (const { bound } of cuts) ok(!`${bound.from}${bound.to}`.includes('accounts'));
  // A run of users may be taken for documents where they meet.
  const expected = cuts.reduce((sum, cut) => sum + cut.expected, 0);
  ok(Math.abs(expected - 300_000) <= 1_000, `${expected}`);
});

test('shards: for any scope, every document is in exactly one', async () => {
  const names = numbered(400);
  const paths = names.map((name) => name.slice(root.length));
  const at = fc.nat({ max: 399 });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(at, { maxLength: 8 }),
      fc.constantFrom(500, 3_000, 60_000),
      fc.constantFrom(1, 7, 100),
      async (ends, perSegment, perPage) => {
        const points = ends.toSorted((a, b) => a - b).map((n) => paths[n]!);
        const ranges: NameRange[] = [];
        for (let n = 0; n + 1 < points.length; n += 2) ranges.push({ from: points[n]!, to: points[n + 1]! });
        const cuts = await splitIntoShards(new Large(names, perPage, perSegment), { ranges, look: 'scan' });
        follow(cuts.map(({ bound }) => bound));
        for (const path of paths) equal(cuts.filter(({ bound }) => isInRange(path, bound)).length, 1);
      },
    ),
    { numRuns: 100 },
  );
});

test('shards: the walks of all shards together decide the same as one walk', async () => {
  const target = new Target();
  const paths = numbered(3_000).map((name) => name.slice(root.length));
  await target.put(Object.fromEntries(paths.filter((_, n) => n % 2 === 0).map((path) => [path, text('live')])));
  const made = archiveOf('p', Object.fromEntries(paths.filter((_, n) => n % 3 === 0).map((path) => [path, text('live')])), 400);
  const bounds = [0, 700, 1_400, 2_100].map((n, i, all) => ({
    ...(i > 0 && { from: paths[n]! }),
    ...(i < 3 && { to: paths[all[i + 1]!]! }),
  }));
  const parts = [];
  for (const bound of bounds) parts.push(...(await walk(made, target, { mergeMode: 'rollback', bound })).decided);
  deepEqual(parts, (await walk(made, target, { mergeMode: 'rollback' })).decided);
});
