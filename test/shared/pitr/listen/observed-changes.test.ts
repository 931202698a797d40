/** Whether the observed changes of a group suffice for a handover. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { CollectionGroup } from '../../../../shared/pitr/listen/observed-changes.ts';

test('observed changes: a handover is possible at an observed moment, unless the source sent a count or a replay', () => {
  const group = new CollectionGroup({ collectionId: 'users', to: 10, token: undefined, count: 3 }, true);
  group.heard = { to: 20, token: undefined };
  assert.deepEqual(
    [9, 10, 20, 21].map((moment) => group.wasHeardAt(moment)),
    [false, true, true, false],
  );
  group.filter = { count: 3, gone: 0, created: 0 };
  assert.equal(group.wasHeardAt(15), false);
  group.filter = undefined;
  group.isReplayed = true;
  assert.equal(group.wasHeardAt(15), false);
});
