import { deepEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { idPrefixes, isId } from '../../../shared/contract/ids.ts';
import { idBounds, newId, newIdOf } from '../../../shared/platform/index.ts';

test('ids of one moment sort in the order they were made', () => {
  const now = new Date('2030-01-01T00:00:00Z');
  const ids = Array.from({ length: 1_000 }, () => newId('audit', now));
  deepEqual(ids.toSorted(), ids);
  deepEqual(new Set(ids).size, 1_000);
});

test('every kind of id is recognised as its own kind and no other', () => {
  const kinds = Object.keys(idPrefixes) as (keyof typeof idPrefixes)[];
  for (const kind of kinds)
    deepEqual(
      kinds.filter((other) => isId(other, newId(kind))),
      [kind],
    );
});

test('nothing else is an id', () => {
  const id = newId('organization');
  for (const text of [
    '',
    id.toLowerCase(),
    `${id} `,
    `${id}\n`,
    ` ${id}`,
    id.slice(0, -1),
    `${id}0`,
    `${id},${id}`,
    id.replace('_', '-'),
  ])
    ok(!isId('organization', text), JSON.stringify(text));
});

// A range of time in the audit log is read as a range of ids.
test('an id lies between the bounds of two moments exactly when it was made between them', () => {
  const moment = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, moment, moment, (from, to, at) => {
      // Not newId: two ids of one process never go back in time.
      const { first: id } = idBounds('audit', at, at);
      const { first, last } = idBounds('audit', from, to);
      deepEqual(id >= first && id <= last, at >= from && at <= to);
    }),
  );
});

test('bounds hold at the ends of time', () => {
  const { first, last } = idBounds('audit', new Date(-8.64e15), new Date(8.64e15));
  ok(isId('audit', first) && isId('audit', last));
  ok(first < newId('audit') && newId('audit') < last);
});

test('an id of a moment long past carries that moment, whatever ids were made before', () => {
  newId('backup');
  const past = new Date('2024-03-01T00:00:00Z');
  const { first, last } = idBounds('backup', past, past);
  const ids = [newIdOf('backup', past), newIdOf('backup', past)];
  for (const id of ids) ok(id >= first && id <= last, id);
  ok(ids[0] !== ids[1] && ids[0]!.slice(14, 20) !== ids[1]!.slice(14, 20), 'both are random');
});
