import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { absentOr, add, remove, set } from '../../../../shared/platform/index.ts';

const key = { pk: 'A', sk: 'A' };

test('set: it sets values, removes undefined attributes, and requires the expected state', () => {
  deepEqual(set(key, { name: 'x', deletedAt: undefined }, { expected: { status: 'pending', usedAt: undefined } }), {
    update: key,
    expression: 'SET #name = :name REMOVE #deletedAt',
    condition: 'attribute_exists(pk) AND #status = :was_status AND attribute_not_exists(#usedAt)',
    names: { '#name': 'name', '#deletedAt': 'deletedAt', '#status': 'status', '#usedAt': 'usedAt' },
    values: { ':name': 'x', ':was_status': 'pending' },
  });
});

test('set: an attribute that is both set and expected has two values', () => {
  const { values } = set(key, { status: 'accepted' }, { expected: { status: 'pending' } });
  deepEqual(values, { ':status': 'accepted', ':was_status': 'pending' });
});

test('add: a counter requires an existing item', () => {
  const write = add(key, 'memberCount', -1);
  deepEqual(write.condition, 'attribute_exists(pk)');
  deepEqual(write.values, { ':memberCount': -1 });
});

test('remove: the item must exist and be as expected', () => {
  deepEqual(remove(key, undefined, { jobId: 'x' }), {
    remove: key,
    condition: 'attribute_exists(pk) AND #jobId = :was_jobId',
    names: { '#jobId': 'jobId' },
    values: { ':was_jobId': 'x' },
  });
});

test('absentOr: a missing item satisfies the condition, too', () => {
  deepEqual(absentOr({ jobId: 'x' }), {
    condition: 'attribute_not_exists(pk) OR attribute_exists(pk) AND #jobId = :was_jobId',
    names: { '#jobId': 'jobId' },
    values: { ':was_jobId': 'x' },
  });
});
