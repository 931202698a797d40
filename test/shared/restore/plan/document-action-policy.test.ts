/** The action for a document, for seven states and four merge modes. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import type { MergeMode } from '../../../../shared/contract/models/restore.ts';
import type { Action } from '../../../../shared/restore/plan/document-action-policy.ts';
import { archiveOf, documentOf, encode, type Fields, Target, walk } from '../../../harness/env/restore/document-walk-env.ts';

const map = (fields: Fields) => ({
  mapValue: { fields: new Map(Object.entries(fields).map(([name, value]) => [name, encode(value)])) },
});
const list = (...values: Fields[string][]) => ({ arrayValue: { values: values.map(encode) } });
const one = { integerValue: 1n };
const two = { integerValue: 2n };
const x = { stringValue: 'x' };

const archived: Fields = { text: x, number: one, map: map({ inner: one, deep: map({ deepest: x }) }), list: list(one, two) };

const states: Record<string, Fields | undefined> = {
  absent: undefined,
  identical: { ...archived },
  different: { ...archived, text: { stringValue: 'y' } },
  'extra fields': { ...archived, more: one },
  'nested map': { ...archived, map: map({ inner: one, deep: map({ deepest: x, other: two }) }) },
  array: { ...archived, list: list(one, two, one) },
  'type changed': { ...archived, number: { doubleValue: 1 } },
};

const expected: Record<string, Record<MergeMode, Action>> = {
  absent: { overwrite: 'create', skip_existing: 'create', merge: 'create', rollback: 'create' },
  identical: { overwrite: 'unchanged', skip_existing: 'skip', merge: 'unchanged', rollback: 'unchanged' },
  different: { overwrite: 'overwrite', skip_existing: 'skip', merge: 'overwrite', rollback: 'overwrite' },
  'extra fields': { overwrite: 'overwrite', skip_existing: 'skip', merge: 'unchanged', rollback: 'overwrite' },
  'nested map': { overwrite: 'overwrite', skip_existing: 'skip', merge: 'unchanged', rollback: 'overwrite' },
  array: { overwrite: 'overwrite', skip_existing: 'skip', merge: 'overwrite', rollback: 'overwrite' },
  'type changed': { overwrite: 'overwrite', skip_existing: 'skip', merge: 'overwrite', rollback: 'overwrite' },
};

const modes: readonly MergeMode[] = ['overwrite', 'skip_existing', 'merge', 'rollback'];
const pathOf = (state: string): string => `states/${state}`;

const everyState = async (projectOf: (target: Target) => string) => {
  const target = new Target();
  await target.put(Object.fromEntries(Object.entries(states).flatMap(([state, live]) => (live ? [[pathOf(state), live]] : []))));
  const made = archiveOf(projectOf(target), Object.fromEntries(Object.keys(states).map((state) => [pathOf(state), archived])));
  return { target, made };
};

for (const mode of modes)
  test(`${mode}: each of the seven states yields the expected action, in the same database and in another`, async () => {
    for (const projectOf of [(target: Target) => target.projectId, () => 'elsewhere']) {
      const { target, made } = await everyState(projectOf);
      const live = target.live();
      for (const documents of [undefined, Object.keys(states).map(pathOf)]) {
        const walked = await walk(made, target, { mergeMode: mode, ...(documents && { documents }) });
        const actions = Object.fromEntries(walked.decided);
        for (const state of Object.keys(states)) equal(actions[pathOf(state)], expected[state]?.[mode], `${state}`);
        equal(walked.decided.length, 7);
        const overwritten = walked.decided.filter(([, action]) => action === 'overwrite').map(([path]) => path);
        // Documents to replace are handed over byte for byte.
        deepEqual(walked.live, Object.fromEntries(overwritten.map((path) => [path, live[path]])));
      }
    }
  });

test('document action: a map in another order is the same document', async () => {
  const target = new Target();
  await target.put({ 'a/b': { m: map({ x: one, y: two }), n: x } });
  const made = archiveOf('elsewhere', { 'a/b': { n: x, m: map({ y: two, x: one }) } });
  for (const mergeMode of ['overwrite', 'merge'] as const)
    deepEqual((await walk(made, target, { mergeMode })).decided, [['a/b', 'unchanged']]);
});

test('document action: references into the backed-up database equal those into the target that they become', async () => {
  const target = new Target();
  const to = (projectId: string) => ({ referenceValue: `projects/${projectId}/databases/(default)/documents/users/ada` });
  await target.put({
    'refs/same': { ref: to(target.projectId), in: map({ list: list(to(target.projectId), x) }) },
    'refs/old': { ref: to('elsewhere') },
    'refs/third': { ref: to('third') },
    'refs/text': { text: { stringValue: to('elsewhere').referenceValue } },
  });
  const made = archiveOf('elsewhere', {
    'refs/same': { ref: to('elsewhere'), in: map({ list: list(to('elsewhere'), x) }) },
    // There now is one that still points at the first database: it is to point here.
    'refs/old': { ref: to('elsewhere') },
    'refs/third': { ref: to('third') },
    'refs/text': { text: { stringValue: to('elsewhere').referenceValue } },
  });
  for (const mergeMode of ['overwrite', 'merge', 'rollback'] as const)
    deepEqual((await walk(made, target, { mergeMode })).decided, [
      ['refs/old', 'overwrite'],
      ['refs/same', 'unchanged'],
      ['refs/text', 'unchanged'],
      ['refs/third', 'unchanged'],
    ]);
});

test('document action: an equal update time in the same database means the same document; in another database the fields decide', async () => {
  const target = new Target();
  await target.put({ 'a/b': archived });
  const live = target.live()['a/b']!;
  const same = archiveOf(target.projectId, { 'a/b': live });
  same.bucket.fetches = [];
  deepEqual((await walk(same, target)).decided, [['a/b', 'unchanged']]);
  // A time that is the same by chance, in a database of another name, means nothing.
  const { updateTime } = (await import('../../../../infra/local/engines/firestore/proto/codecs.ts')).proto.Document.decode(live);
  const other = documentOf('elsewhere', { path: 'a/b', fields: { text: x }, at: Number(updateTime?.seconds) });
  deepEqual((await walk(archiveOf('elsewhere', { 'a/b': other }), target)).decided, [['a/b', 'overwrite']]);
});

test('document action: an undo restores the documents of its archive, deletes those with a tombstone, and touches nothing else', async () => {
  const target = new Target();
  await target.put({ 'a/made': { text: x }, 'a/changed': { text: x }, 'a/same': archived, 'a/beside': { text: x } });
  const made = archiveOf(target.projectId, {
    'a/changed': archived,
    'a/gone': archived,
    'a/made': undefined,
    'a/never': undefined,
    'a/same': archived,
  });
  const walked = await walk(made, target, { mergeMode: 'rollback', undoOf: 'res_1' });
  deepEqual(walked.decided, [
    ['a/changed', 'overwrite'],
    ['a/gone', 'create'],
    ['a/made', 'delete'],
    ['a/never', 'unchanged'],
    ['a/same', 'unchanged'],
  ]);
  deepEqual(Object.keys(walked.live), ['a/changed', 'a/made']);
  equal(walked.ofBackup.size, 5);
  // Any other restore of that archive is about the documents it holds.
  deepEqual((await walk(made, target)).decided, [
    ['a/changed', 'overwrite'],
    ['a/gone', 'create'],
    ['a/same', 'unchanged'],
  ]);
});
