import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { add, set } from '../../../../shared/platform/index.ts';

const key = { pk: 'A', sk: 'A' };

test('setting writes what is given, removes what is undefined, and only where the item still is as it was read', () => {
  deepEqual(set(key, { name: 'x', deletedAt: undefined }, { expected: { status: 'pending', usedAt: undefined } }), {
    update: key,
    expression: 'SET #name = :name REMOVE #deletedAt',
    condition: 'attribute_exists(pk) AND #status = :was_status AND attribute_not_exists(#usedAt)',
    names: { '#name': 'name', '#deletedAt': 'deletedAt', '#status': 'status', '#usedAt': 'usedAt' },
    values: { ':name': 'x', ':was_status': 'pending' },
  });
});

test('setting an attribute that is also compared keeps both values apart', () => {
  const { values } = set(key, { status: 'accepted' }, { expected: { status: 'pending' } });
  deepEqual(values, { ':status': 'accepted', ':was_status': 'pending' });
});

test('counting changes an item that exists, never makes one', () => {
  const write = add(key, 'memberCount', -1);
  deepEqual(write.condition, 'attribute_exists(pk)');
  deepEqual(write.values, { ':memberCount': -1 });
});
