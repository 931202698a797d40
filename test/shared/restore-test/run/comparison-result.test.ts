import { deepEqual, equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { chainDigest, newWalk } from '../../../../shared/restore-test/compare/walk-documents.ts';
import type { WalkState } from '../../../../shared/restore-test/model/record.ts';
import { indexOf } from '../../../../shared/restore-test/run/choose-backup.ts';
import { compareWithIndex, comparisonsOf } from '../../../../shared/restore-test/run/comparison-result.ts';
import { DifferenceList } from '../../../../shared/restore-test/run/run-writes.ts';

const archive = {
  manifest: {
    readTime: '2026-01-01T00:00:00Z',
    counts: { documents: 5, tombstones: 0, users: 0 },
    collections: [
      { id: 'users', documents: 3 },
      { id: 'notes', documents: 2 },
    ],
  },
} as unknown as Parameters<typeof comparisonsOf>[1];
const walked = (more: Partial<WalkState>): WalkState => ({ ...newWalk, ...more });
const noDifferences = () => new DifferenceList({ differenceTotal: 0, differenceItems: [] });
const all = { scope: { type: 'all' }, target: null } as const;

test('index: a collection with fewer or more documents than the manifest counts is a difference', () => {
  const differences = noDifferences();
  compareWithIndex(all, { archive, walked: walked({ collections: '[["users",2],["other",1],["notes",2]]' }), differences });
  deepEqual(
    differences.items.map(({ path, kind, against }) => [path, kind, against]),
    [
      ['users', 'missing', 'index'],
      ['other', 'unexpected', 'index'],
    ],
  );
});

test('index: a sample is not held against the counts of the manifest', () => {
  const differences = noDifferences();
  compareWithIndex({ scope: { type: 'sample' } }, { archive, walked: walked({ collections: '[["users",1]]' }), differences });
  equal(differences.total, 0);
});

test('index: a sample of which documents were not read is a difference', () => {
  const differences = noDifferences();
  const drawn = { scope: { type: 'sample' }, sample: '["users/a","users/b"]' } as const;
  compareWithIndex(drawn, { archive, walked: walked({ collections: '[["users",2]]' }), differences });
  equal(differences.total, 0);
  compareWithIndex(drawn, { archive, walked: walked({}), differences });
  deepEqual(
    differences.items.map(({ against, kind, message }) => [against, kind, message]),
    [['index', 'missing', 'The archive gave 0 of the 2 documents that were drawn']],
  );
});

test('comparisons: a source whose history ended midway says how much was compared, and why not all', () => {
  const state = walked({ documents: 5, compared: 2, collections: '[["users",3],["notes",2]]', stopped: 'The history has ended' });
  const { source, index, target } = comparisonsOf(all, archive, { walked: state, differences: noDifferences() });
  deepEqual([source.compared, source.documents, source.share, source.reason], [true, 2, 0.4, 'The history has ended']);
  deepEqual([index.documents, index.share, target.compared], [5, 1, false]);
  const never = comparisonsOf(all, archive, { walked: { ...state, compared: 0 }, differences: noDifferences() }).source;
  deepEqual([never.compared, never.readTime, never.documents], [false, null, 0]);
});

test('comparisons: say how many documents were not read because they are erased', () => {
  const state = walked({ documents: 3, compared: 3, collections: '[["users",3],["notes",2]]' });
  const { index, source } = comparisonsOf(all, archive, { walked: state, differences: noDifferences() });
  const remark = '2 of 5 documents are erased, and were not read';
  deepEqual([index.reason, source.reason, index.share], [remark, remark, 0.6]);
  equal(comparisonsOf(all, archive, { walked: { ...state, documents: 5 }, differences: noDifferences() }).index.reason, null);
});

test('differences: all are counted, the first 100 are kept', () => {
  const differences = noDifferences();
  for (let n = 0; n < 150; n++) differences.add({ path: `users/${n}`, kind: 'changed', against: 'source', message: '' });
  deepEqual([differences.total, differences.items.length], [150, 100]);
});

test('choice: the same seed chooses the same of the same candidates, and every candidate can be chosen', () => {
  equal(indexOf('rtr_a', 7), createHash('sha256').update('rtr_a').digest().readUIntBE(0, 6) % 7);
  deepEqual(new Set(Array.from({ length: 200 }, (_, n) => indexOf(`rtr_${n}`, 5))).size, 5);
  equal(indexOf('rtr_a', 0), 0);
});

test('digest: depends on every name, every content and their order', () => {
  const chain = (...documents: readonly [string, string][]): string =>
    documents.reduce((digest, [path, body]) => chainDigest(digest, Buffer.from(path), Buffer.from(body)), newWalk.digest);
  const digests = [
    chain(['a', '1'], ['b', '2']),
    chain(['b', '2'], ['a', '1']),
    chain(['a', '1'], ['b', '3']),
    chain(['a', '1'], ['c', '2']),
    chain(['a', '1']),
  ];
  equal(new Set(digests).size, digests.length);
});
