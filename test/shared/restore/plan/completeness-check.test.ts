/** A document that the target did not send is never treated as absent. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { probeSource, SourceError } from '../../../../shared/firestore/index.ts';
import { DocumentWalk } from '../../../../shared/restore/plan/document-walk.ts';
import { archiveOf, type Fields, server, Target, text, walk } from '../../../harness/env/restore/document-walk-env.ts';

beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

const all = (paths: readonly string[], value = 'x'): Record<string, Fields> =>
  Object.fromEntries(paths.map((path) => [path, text(value)]));
const numbered = (collection: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${collection}/${String(n).padStart(6, '0')}`);

const short = (error: unknown): boolean => error instanceof SourceError && error.code === 'COUNT_MISMATCH' && error.isTransient;
const endEarly = ({ projectId: project }: Target, afterMessages: number, call = 1) =>
  server.faults.add({ method: 'RunQuery', project, end: { afterMessages }, call });
const refuseCounts = ({ projectId: project }: Target, times = 1_000) =>
  server.faults.add({ method: 'RunAggregationQuery', project, status: 'UNIMPLEMENTED', times });
const counts = () => server.faults.calls.RunAggregationQuery ?? 0;

for (const mergeMode of ['overwrite', 'skip_existing', 'merge', 'rollback'] as const)
  describe(mergeMode, () => {
    test('completeness check: a stream that ended early without an error makes no plan', async () => {
      const target = new Target();
      await target.put(all([...numbered('a', 6), 'b/1'], 'other'));
      const made = archiveOf('elsewhere', all(numbered('a', 6)));
      for (const afterMessages of [0, 3]) {
        endEarly(target, afterMessages);
        await rejects(walk(made, target, { mergeMode }), short);
      }
      equal((await walk(made, target, { mergeMode })).decided.filter(([, action]) => action === 'create').length, 0);
    });

    test('completeness check: a target that cannot count is asked for the documents not found', async () => {
      const target = new Target();
      await target.put(all(numbered('a', 6), 'other'));
      const made = archiveOf('elsewhere', all([...numbered('a', 6), ...numbered('new', 700)]));
      refuseCounts(target);
      endEarly(target, 3);
      await rejects(walk(made, target, { mergeMode }), short);
      const { decided, reads } = await walk(made, target, { mergeMode });
      equal(decided.filter(([, action]) => action === 'create').length, 700);
      // Each name is billed as a document is.
      equal(reads, 6 + 700);
    });
  });

test('completeness check: documents that were read need no count, and nothing is counted twice', async () => {
  const target = new Target();
  await target.put(all(numbered('a', 50), 'other'));
  const made = archiveOf('elsewhere', all(numbered('a', 50)));
  const { reads } = await walk(made, target);
  deepEqual([reads, counts()], [50, 0]);
  // A rollback deletes, so the scan must be complete.
  await walk(made, target, { mergeMode: 'rollback' });
  equal(counts(), 1);
});

test('completeness check: each range is counted by itself, even an empty one', async () => {
  const target = new Target();
  await target.put(all(['u/a', 'u/a/o/1', 'u/c', 'u/d'], 'other'));
  const made = archiveOf('elsewhere', all(['u/a', 'u/b']));
  const documents = ['u/a', 'u/b', 'u/c'];
  const { decided } = await walk(made, target, { documents, mergeMode: 'rollback' });
  deepEqual(decided, [
    ['u/a', 'overwrite'],
    ['u/a/o/1', 'delete'],
    ['u/b', 'create'],
    ['u/c', 'delete'],
  ]);
  equal(counts(), 3);
  for (const call of [1, 3]) {
    server.faults.clear();
    endEarly(target, 0, call);
    await rejects(walk(made, target, { documents, mergeMode: 'rollback' }), short);
  }
});

test('completeness check: a walk that ended early is proven as far as it came', async () => {
  const target = new Target();
  await target.put(all(numbered('a', 3_000).filter((_, n) => n % 2 === 0)));
  const made = archiveOf('elsewhere', all(numbered('a', 3_000)));
  const { isWhole, decided } = await walk(made, target, { isOver: () => true });
  ok(!isWhole && decided.some(([, action]) => action === 'create'));
  equal(counts(), 1);
  endEarly(target, 4);
  await rejects(walk(made, target, { isOver: () => true }), short);
});

test('completeness check: a walk whose read was aborted is proven up to the last document received', async () => {
  const target = new Target();
  await target.put(
    all(
      numbered('a', 3_000).filter((_, n) => n % 2 === 0),
      'y'.repeat(1_000),
    ),
  );
  const { archive } = archiveOf('elsewhere', all(numbered('a', 3_000)));
  const { readTime } = await probeSource(target.source);
  const stopping = new AbortController();
  const scope = { ranges: [{}], look: 'scan' } as const;
  const options = { archive, target: target.source, scope, bound: {}, mode: 'overwrite', isUndo: false, readTime } as const;
  const walking = new DocumentWalk({ ...options, signal: stopping.signal });
  const decided: string[] = [];
  const run = walking.run(({ action }) => {
    if (decided.push(action) === 500) stopping.abort();
    return undefined;
  });
  await rejects(run, { code: 'CANCELLED' });
  ok(decided.length >= 500 && decided.length < 3_000 && decided.includes('create'));
  await rejects(walking.prove(stopping.signal), { code: 'CANCELLED' });
  await walking.prove(new AbortController().signal);
  equal(counts(), 1);
});

test('completeness check: absent names are proven every 10,000, and none is counted twice', async () => {
  const target = new Target();
  const paths = numbered('a', 24_000);
  await target.put(all(paths.filter((_, n) => n % 12 === 0)));
  const made = archiveOf('elsewhere', all(paths));
  const { decided, reads } = await walk(made, target);
  equal(decided.filter(([, action]) => action === 'create').length, 22_000);
  equal(counts(), 3);
  ok(reads < 2_000 + 3 * 3, `${reads}`);
});

test('completeness check: a target that counts by collection group is asked for the groups of the backup, too', async () => {
  const target = new Target();
  await target.put(all(['a/1', 'b/1', 'c/1'], 'other'));
  const made = archiveOf('elsewhere', all(['a/1', 'b/1', 'c/1', 'd/1']));
  refuseCounts(target, 1);
  endEarly(target, 1);
  await rejects(walk(made, target), short);
  server.faults.clear();
  refuseCounts(target, 1);
  equal((await walk(made, target)).decided.filter(([, action]) => action === 'create').length, 1);
});
