import { deepEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { idPrefixes, isId } from '../../../shared/contract/ids.ts';
import { idBounds, newId, newIdOf } from '../../../shared/platform/index.ts';

test('newId: ids of the same millisecond sort in the order they were generated', () => {
  const now = new Date('2030-01-01T00:00:00Z');
  const ids = Array.from({ length: 1_000 }, () => newId('audit', now));
  deepEqual(ids.toSorted(), ids);
  deepEqual(new Set(ids).size, 1_000);
});

test('isId: every id is recognized as its own kind only', () => {
  const kinds = Object.keys(idPrefixes) as (keyof typeof idPrefixes)[];
  for (const kind of kinds)
    deepEqual(
      kinds.filter((other) => isId(other, newId(kind))),
      [kind],
    );
});

test('isId: other text is not an id', () => {
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

// A time range of the audit log is read as a range of ids.
test('idBounds: an id is within the bounds exactly if it was generated between the two times', () => {
  const moment = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, moment, moment, (from, to, at) => {
      // Not newId, which is monotonic within a process.
      const { first: id } = idBounds('audit', at, at);
      const { first, last } = idBounds('audit', from, to);
      deepEqual(id >= first && id <= last, at >= from && at <= to);
    }),
  );
});

test('idBounds: bounds exist for the earliest and the latest time', () => {
  const { first, last } = idBounds('audit', new Date(-8.64e15), new Date(8.64e15));
  ok(isId('audit', first) && isId('audit', last));
  ok(first < newId('audit') && newId('audit') < last);
});

test('newIdOf: an id of a past time contains that time, whatever ids were generated before', () => {
  newId('backup');
  const past = new Date('2024-03-01T00:00:00Z');
  const { first, last } = idBounds('backup', past, past);
  const ids = [newIdOf('backup', past), newIdOf('backup', past)];
  for (const id of ids) ok(id >= first && id <= last, id);
  ok(ids[0] !== ids[1] && ids[0]!.slice(14, 20) !== ids[1]!.slice(14, 20), 'both are random');
});
