/** A source that may have missed deletions is trusted only if the counts match. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../../infra/local/engines/firestore/write/commit-writes.ts';
import { ResumeTokenLost } from '../../../../shared/firestore/index.ts';
import { assertDeletionsComplete, countAfter } from '../../../../shared/pitr/coverage/check-deletions.ts';
import { BudgetSpent, Lookup } from '../../../../shared/pitr/coverage/document-lookup.ts';
import { CollectionGroup } from '../../../../shared/pitr/listen/observed-changes.ts';
import { name, root, sourceOf, startServer, write } from '../../../harness/firestore/firestore-server.ts';

let server: Firestore;
let [from, to] = [0, 0];
const signal = AbortSignal.timeout(600_000);

/** Of ten users two were deleted and one created; one deletion was reported, or both. Another was created and deleted. */
beforeAll(async () => {
  server = await startServer();
  const users = server.databases.open(name);
  await write(server, { paths: Array.from({ length: 10 }, (_, n) => `users/${n}`) });
  from = users.readTime();
  await write(server, { paths: ['users/new'] });
  const gone = ['users/0', 'users/1'].map((path) => parseWrite(proto.Write.encode({ delete: `${root}/${path}` }), name));
  await commitWrites(users, gone);
  await write(server, { paths: ['users/brief'] });
  await commitWrites(users, [parseWrite(proto.Write.encode({ delete: `${root}/users/brief` }), name)]);
  to = users.readTime();
});
afterAll(() => server.stop());

const heard = ({ deleted, count, filter }: { deleted: readonly string[]; count?: number; filter?: number }): CollectionGroup => {
  const group = new CollectionGroup({ collectionId: 'users', to: from, token: undefined, count }, false);
  group.heard = { to, token: undefined };
  for (const path of deleted) group.changes.set(`${root}/${path}`, undefined);
  group.changes.set(`${root}/users/new`, { updated: to, created: to });
  if (filter !== undefined) group.filter = { count: filter, ...group.tally() };
  return group;
};
const judge = async (group: CollectionGroup) => {
  const source = sourceOf(server.url);
  try {
    return await assertDeletionsComplete(group, { source, lookup: new Lookup(source, signal), signal });
  } finally {
    source.close();
  }
};

test('deletions: counts that match known numbers cost only look-ups of deleted documents', async () => {
  const group = heard({ deleted: ['users/0', 'users/1'], count: 10, filter: 9 });
  assert.equal(await judge(group), 0);
  assert.equal(countAfter(group), 9);
});

test('deletions: an unreported deletion is a loss, whatever is known', async () => {
  for (const count of [10, undefined, 12])
    await assert.rejects(
      judge(heard({ deleted: ['users/0'], ...(count !== undefined && { count }), filter: 9 })),
      ResumeTokenLost,
    );
});

test('deletions: a short-lived document hides no unreported deletion, then or later', async () => {
  await assert.rejects(judge(heard({ deleted: ['users/0', 'users/brief'], count: 10, filter: 9 })), ResumeTokenLost);
  assert.equal(await judge(heard({ deleted: ['users/0', 'users/1', 'users/brief'], count: 10, filter: 9 })), 0);
  // A reported deletion does not lower the known count, which the next check uses.
  assert.equal(countAfter(heard({ deleted: ['users/brief'], count: 10 })), 11);
});

test('deletions: a deletion after the count is not taken for one before it', async () => {
  const group = heard({ deleted: ['users/brief'], count: 10, filter: 10 });
  group.changes.set(`${root}/users/1`, undefined);
  await assert.rejects(judge(group), ResumeTokenLost);
});

test('deletions: if the known count is wrong or missing, the source is asked for each number', async () => {
  for (const count of [undefined, 11]) {
    const group = heard({ deleted: ['users/0', 'users/1'], ...(count !== undefined && { count }), filter: 9 });
    assert.equal(await judge(group), 2);
  }
});

test('deletions: a replay, which contains no deletions, is a loss if there was one', async () => {
  const group = heard({ deleted: [], count: 10 });
  group.isReplayed = true;
  await assert.rejects(judge(group), ResumeTokenLost);
});

test('deletions: a source that cannot count is a loss', async () => {
  server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 9 });
  await assert.rejects(judge(heard({ deleted: ['users/0', 'users/1'], filter: 9 })), ResumeTokenLost);
  server.faults.clear();
});

test('look-up: stops at its budget and counts billed reads', async () => {
  const source = sourceOf(server.url);
  const lookup = new Lookup(source, signal);
  const names = Array.from({ length: 10 }, (_, n) => `${root}/users/${n}`);
  const found: string[] = [];
  await lookup.at(from, names, (one, bytes) => void (bytes && found.push(one)));
  assert.deepEqual([found.length, lookup.reads], [10, 10]);
  lookup.budget = 15;
  await assert.rejects(
    lookup.at(to, names, () => {}),
    BudgetSpent,
  );
  assert.equal(lookup.reads, 10);
  source.close();
});

test('look-up: concurrent requests stay within the budget, and none reports documents after it is spent', async () => {
  const source = sourceOf(server.url);
  const lookup = new Lookup(source, signal);
  lookup.budget = 700;
  let reported = 0;
  const names = Array.from({ length: 1_200 }, (_, n) => `${root}/users/${n}`);
  const tell = () => {
    reported += 1;
  };
  await assert.rejects(lookup.at(to, names, tell), BudgetSpent);
  assert.deepEqual([reported, lookup.reads], [600, 600]);
  source.close();
});
