/** If it is unknown what a restore wrote, only documents that are as it would have left them are undone. */
import { deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import type { MergeMode } from '../../../../shared/contract/models/restore.ts';
import { compareTextNames } from '../../../../shared/firestore/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { archiveOf, type Fields, type Records, Target, text, walk } from '../../../harness/env/restore/document-walk-env.ts';

const undoing = { mergeMode: 'rollback', undoOf: 'res_1' } as const;
const both = (one: string, two: string): Fields => ({ ...text(one), more: { stringValue: two } });

test('undo matcher: a merged document is recognized by the merged fields, a created one by all fields', async () => {
  const target = new Target();
  const saved = archiveOf(target.projectId, { 'a/1': text('old'), 'a/2': text('old'), 'a/3': undefined, 'a/4': undefined });
  const archive = archiveOf('elsewhere', {
    'a/1': text('new'),
    'a/2': text('new'),
    'a/3': text('new'),
    'a/4': text('new'),
  }).archive;
  await target.put({
    'a/1': both('new', 'kept'),
    'a/2': both('theirs', 'kept'),
    'a/3': text('new'),
    'a/4': both('new', 'theirs'),
  });
  deepEqual((await walk(saved, target, { ...undoing, partialRestore: { archive, mode: 'merge' } })).decided, [
    ['a/1', 'overwrite'],
    ['a/2', 'skip'],
    ['a/3', 'delete'],
    ['a/4', 'skip'],
  ]);
});

test('undo matcher: references equal those into the target that they became', async () => {
  const target = new Target();
  const to = (projectId: string): Fields => ({
    at: { referenceValue: `projects/${projectId}/databases/(default)/documents/b/1` },
  });
  const saved = archiveOf(target.projectId, { 'a/1': text('old'), 'a/2': text('old') });
  const { archive } = archiveOf('elsewhere', { 'a/1': to('elsewhere'), 'a/2': to('elsewhere') });
  await target.put({ 'a/1': to(target.projectId), 'a/2': to('elsewhere') });
  deepEqual((await walk(saved, target, { ...undoing, partialRestore: { archive, mode: 'overwrite' } })).decided, [
    ['a/1', 'overwrite'],
    ['a/2', 'skip'],
  ]);
});

const path = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'é'), fc.constantFrom('1', 'x', 'x!', '__id3__', '~')), {
    minLength: 1,
    maxLength: 2,
  })
  .map((parts) => parts.flat().join('/'));
const tree = fc.dictionary(path, fc.constantFrom('one', 'two', 'three'), { maxKeys: 20 });

test('undo matcher: for random trees it decides the same as a plain comparison, in one walk or in two', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        kept: tree,
        gone: fc.uniqueArray(path, { maxLength: 10 }),
        restored: tree,
        there: tree,
        mode: fc.constantFrom<MergeMode>('overwrite', 'skip_existing', 'merge', 'rollback'),
        perShard: fc.constantFrom(3, 1_000),
        cut: path,
      }),
      async ({ kept, gone, restored, there, mode, perShard, cut }) => {
        const target = new Target();
        const of = (all: Readonly<Record<string, string>>) =>
          Object.fromEntries(Object.entries(all).map(([at, value]) => [at, text(value)]));
        await target.put(of(there));
        const records: Records = { ...Object.fromEntries(gone.map((at) => [at, undefined])), ...of(kept) };
        const expected = Object.keys(records)
          .sort(compareTextNames)
          .map((at) => {
            const [was, left, live] = [kept[at], restored[at], there[at]];
            if (was === live) return [at, 'unchanged'];
            if (left !== live) return [at, 'skip'];
            return [at, was === undefined ? 'delete' : live === undefined ? 'create' : 'overwrite'];
          });
        const made = archiveOf(target.projectId, records, perShard);
        const partialRestore = { archive: archiveOf('elsewhere', of(restored), perShard).archive, mode };
        deepEqual((await walk(made, target, { ...undoing, partialRestore })).decided, expected);
        const parts = [];
        for (const bound of [{ to: cut }, { from: cut }])
          parts.push(...(await walk(made, target, { ...undoing, partialRestore, bound })).decided);
        deepEqual(parts, expected);
        target.source.close();
      },
    ),
    { numRuns: propertyRuns({ quick: 20, usual: 60 }) },
  );
});
