/** The resulting document for seven states of the target and four write modes. */
import { deepEqual } from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { commitWrites, parseWrite } from '../../../../infra/local/engines/firestore/write/commit-writes.ts';
import type { WriteMode } from '../../../../shared/firestore/write/write-encoder.ts';
import { documentOf, encode, fieldsAt, hexFields, integer, map, text } from '../../../harness/faults/faulty-target.ts';
import { name, startServer } from '../../../harness/firestore/firestore-server.ts';
import { writerTo } from '../../../harness/firestore/writer-env.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
const database = () => server.databases.open(name);
const make = (path: string, fields: Record<string, Uint8Array>) =>
  commitWrites(database(), [parseWrite(proto.Write.encode({ update: documentOf(path, fields) }), name)]);

const array = (...values: Uint8Array[]): Uint8Array => encode({ arrayValue: { values } });
const given = {
  title: text('saved'),
  count: integer(3),
  map: map({ a: integer(1), b: map({ c: integer(2) }), empty: map({}) }),
  list: array(integer(1), integer(2)),
};

/**
 * The state before, and the result of a merge; `overwrite` always yields the saved document, `skip_existing` the previous one.
 */
const states: Record<string, { before?: Record<string, Uint8Array>; merged: Record<string, Uint8Array> }> = {
  absent: { merged: given },
  identical: { before: given, merged: given },
  different: { before: { ...given, title: text('changed'), count: integer(4) }, merged: given },
  'extra fields': { before: { ...given, more: text('theirs') }, merged: { ...given, more: text('theirs') } },
  'nested map': {
    before: { map: map({ a: integer(9), b: map({ d: integer(7) }), empty: map({ x: integer(1) }), own: integer(5) }) },
    merged: {
      ...given,
      map: map({ a: integer(1), b: map({ d: integer(7), c: integer(2) }), empty: map({}), own: integer(5) }),
    },
  },
  array: { before: { list: array(integer(8), integer(9), integer(10)) }, merged: given },
  'type changed': { before: { title: integer(1), count: encode({ doubleValue: 3 }), map: text('no map') }, merged: given },
};

for (const [state, { before: there, merged }] of Object.entries(states)) {
  const expected: Record<WriteMode, Record<string, Uint8Array> | undefined> = {
    overwrite: given,
    skip_existing: there ?? given,
    merge: merged,
    delete: undefined,
  };
  for (const [mode, fields] of Object.entries(expected) as [WriteMode, Record<string, Uint8Array> | undefined][])
    test(`batch writer: ${mode} where the target is ${state}`, async (t) => {
      const path = `${mode}/${state}`;
      if (there) await make(path, there);
      const { writer } = writerTo(t, { url: server.url });
      await (mode === 'delete' ? writer.delete(path) : writer.put(documentOf(path, given), mode));
      const isSkipped = mode === 'skip_existing' && there !== undefined;
      deepEqual(
        { ...(await writer.end()) },
        {
          given: 1,
          written: isSkipped ? 0 : 1,
          deleted: mode === 'delete' ? 1 : 0,
          skipped: isSkipped ? 1 : 0,
          failed: 0,
          failures: [],
        },
      );
      deepEqual(sortedFields(fieldsAt(database(), path)), fields && sortedFields(hexFields(fields)));
    });
}
/** Merged maps return their fields in another order. */
const sortedFields = (fields: Readonly<Record<string, string>> | undefined) =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, key === 'map' ? sortedMap(Buffer.from(value, 'hex')) : value]),
  );
const sortedMap = (value: Uint8Array): unknown => {
  const fields = proto.Value.decode(value).mapValue?.fields;
  return fields
    ? [...fields].map(([key, inner]) => [key, sortedMap(inner)] as const).sort(([a], [b]) => (a < b ? -1 : 1))
    : Buffer.from(value).toString('hex');
};
