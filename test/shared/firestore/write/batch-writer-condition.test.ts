/** A conditional write replaces only the expected document and is counted correctly. */
import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { pathKey } from '../../../../infra/local/engines/firestore/base/path-key.ts';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import type { StoredDatabase } from '../../../../infra/local/engines/firestore/storage/database.ts';
import type { ProtobufTimestamp } from '../../../../shared/archive/index.ts';
import { BatchWriter, type Condition } from '../../../../shared/firestore/index.ts';
import { WriteEncoder, type WriteMode } from '../../../../shared/firestore/write/write-encoder.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { documentOf, fieldsAt, hexFields, startTarget, text } from '../../../harness/faults/faulty-target.ts';
import { root, startServer } from '../../../harness/firestore/firestore-server.ts';
import { put, writerTo } from '../../../harness/firestore/writer-env.ts';

const changed = {
  code: 'FAILED_PRECONDITION',
  message: 'Changed in the target since it was saved; restore it again',
};

/** The update time of the current document. */
const writtenAt = (database: StoredDatabase, path: string): ProtobufTimestamp => {
  const { updateTime } = proto.Document.decode(database.get(pathKey(path), database.readTime())!.bytes);
  return { seconds: Number(updateTime!.seconds), nanos: updateTime!.nanos };
};

const give = (
  writer: BatchWriter,
  { path, mode, condition }: { readonly path: string; readonly mode: WriteMode; readonly condition: Condition | undefined },
) => (mode === 'delete' ? writer.delete(path, condition) : writer.put(documentOf(path, { who: text('ours') }), mode, condition));

test('write encoder: encodes preconditions as the protos define, in every mode', () => {
  const document = documentOf('c/1', { a: text('b') });
  const { createTime: _, updateTime: __, ...rest } = proto.Document.decode(document);
  const update = proto.Document.encode(rest);
  const updateMask = proto.DocumentMask.encode({ fieldPaths: ['a'] });
  const encoder = new WriteEncoder();
  const sent = () => {
    const { bytes, length } = encoder.sink;
    const { currentDocument, ...write } = proto.Write.decode(
      proto.BatchWriteRequest.decode(bytes.subarray(0, length)).writes[0]!,
    );
    return { write: Buffer.from(proto.Write.encode(write)), demand: proto.Precondition.decode(currentDocument!) };
  };
  for (const [condition, demand] of [
    ['absent', { exists: false }],
    [{ seconds: 1_700_000_000, nanos: 123_456_000 }, { updateTime: { seconds: 1_700_000_000n, nanos: 123_456_000 } }],
    [{ seconds: 1_700_000_001, nanos: 0 }, { updateTime: { seconds: 1_700_000_001n, nanos: 0 } }],
  ] as const) {
    const expect = (write: Parameters<typeof proto.Write.encode>[0]) =>
      deepEqual(sent(), {
        write: Buffer.from(proto.Write.encode(write)),
        demand: proto.Precondition.decode(proto.Precondition.encode(demand)),
      });
    encoder.put(document, 'overwrite', condition);
    expect({ update });
    encoder.put(document, 'merge', condition);
    expect({ update, updateMask });
    encoder.delete(`${root}/c/1`, condition);
    expect({ delete: `${root}/c/1` });
  }
});

for (const mode of ['overwrite', 'merge', 'delete'] as const)
  test(`batch writer: ${mode} reports documents that another client changed and writes all others`, async (t) => {
    const server = await startServer();
    t.onTestFinished(() => server.stop());
    const { source } = writerTo(t, { url: server.url });
    const database = server.databases.open({ projectId: source.database.split('/')[1]!, databaseId: '(default)' });
    const setup = new BatchWriter(source);
    await put(setup, { paths: ['c/same', 'c/changed', 'c/removed', 'c/done'], mode: 'overwrite', value: 'saved' });
    await setup.end();
    const was = new Map(['same', 'changed', 'removed', 'done'].map((id) => [id, writtenAt(database, `c/${id}`)]));
    const others = new BatchWriter(source);
    await put(others, { paths: ['c/changed', 'c/made'], mode: 'overwrite', value: 'theirs' });
    await others.delete('c/removed');
    // Another client, or an earlier run, already applied the write.
    for (const id of ['done', 'doneNew']) await give(others, { path: `c/${id}`, mode, condition: undefined });
    await others.end();
    server.faults.resetCalls();
    const writer = new BatchWriter(source);
    for (const id of ['same', 'changed', 'removed', 'done'])
      await give(writer, { path: `c/${id}`, mode, condition: was.get(id) });
    for (const id of ['new', 'made', 'doneNew']) await give(writer, { path: `c/${id}`, mode, condition: 'absent' });
    const tally = await writer.end();
    const isDelete = mode === 'delete';
    const failed = isDelete ? ['c/changed', 'c/made'] : ['c/changed', 'c/made', 'c/removed'];
    deepEqual(
      [...tally.failures].sort((a, b) => (a.path < b.path ? -1 : 1)),
      failed.map((path) => ({ path, ...changed })),
    );
    deepEqual([tally.written, tally.deleted, tally.skipped], [7 - failed.length, isDelete ? 5 : 0, 0]);
    const here = (id: string) => fieldsAt(database, `c/${id}`);
    for (const id of ['changed', 'made']) deepEqual(here(id), hexFields({ who: text('theirs') }));
    equal(here('removed'), undefined);
    for (const id of ['same', 'done', 'new', 'doneNew'])
      deepEqual(here(id), isDelete ? undefined : hexFields({ who: text('ours') }));
    deepEqual([server.faults.calls.BatchWrite, server.faults.calls.BatchGetDocuments], [1, 1]);
  });

test('batch writer: reads nothing if all preconditions hold', async (t) => {
  const server = await startServer();
  t.onTestFinished(() => server.stop());
  const { source } = writerTo(t, { url: server.url });
  const paths = Array.from({ length: 700 }, (_, n) => `c/${n}`);
  const writer = new BatchWriter(source);
  for (const path of paths) await give(writer, { path, mode: 'overwrite', condition: 'absent' });
  await writer.flush();
  const database = server.databases.open({ projectId: source.database.split('/')[1]!, databaseId: '(default)' });
  for (const path of paths) await give(writer, { path, mode: 'delete', condition: writtenAt(database, path) });
  const tally = await writer.end();
  deepEqual([tally.written, tally.deleted], [1_400, 700]);
  equal(server.faults.calls.BatchGetDocuments ?? 0, 0);
});

test('batch writer: an unacknowledged merge is recognized as applied, whatever else the document has', async (t) => {
  const target = await startTarget(t, (_, attempt) => (attempt === 1 ? { status: 'UNAVAILABLE', isApplied: true } : undefined));
  const { source, writer } = writerTo(t, { url: target.url });
  const setup = new BatchWriter(source);
  await setup.put(documentOf('m/1', { more: text('theirs'), who: text('saved') }), 'overwrite');
  await setup.end();
  const was = writtenAt(target.database, 'm/1');
  target.attempts.clear();
  await give(writer, { path: 'm/1', mode: 'merge', condition: was });
  deepEqual({ ...(await writer.end()) }, { given: 1, written: 1, deleted: 0, skipped: 0, failed: 0, failures: [] });
  deepEqual(fieldsAt(target.database, 'm/1'), hexFields({ more: text('theirs'), who: text('ours') }));
});

test('batch writer: for any sequence of statuses foreign changes stay and the counts match the target', async (t) => {
  const passing = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN', 'ABORTED', 'RESOURCE_EXHAUSTED'] as const;
  interface Script {
    readonly mode: 'overwrite' | 'merge' | 'delete';
    readonly wasThere: boolean;
    readonly isChanged: boolean;
    readonly faults: readonly { readonly status: (typeof passing)[number]; readonly isApplied: boolean }[];
  }
  let scripts: readonly Script[] = [];
  const target = await startTarget(t, (path, attempt) => {
    const fault = scripts[Number(path.split('/')[1])]?.faults[attempt - 1];
    const isApplied = fault?.isApplied && fault.status !== 'ABORTED' && fault.status !== 'RESOURCE_EXHAUSTED';
    return fault && { status: fault.status, isApplied: isApplied ?? false };
  });
  const { source } = writerTo(t, { url: target.url });
  const script = fc.record<Script>({
    mode: fc.constantFrom('overwrite', 'merge', 'delete'),
    wasThere: fc.boolean(),
    isChanged: fc.boolean(),
    faults: fc.array(fc.record({ status: fc.constantFrom(...passing), isApplied: fc.boolean() }), { maxLength: 4 }),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(script, { maxLength: 30 }), async (of) => {
      run += 1;
      scripts = [];
      const pathOf = (n: number) => `random${run}/${n}`;
      const setup = new BatchWriter(source);
      for (const [n, { wasThere }] of of.entries())
        if (wasThere) await put(setup, { paths: [pathOf(n)], mode: 'overwrite', value: 'saved' });
      await setup.flush();
      const conditions = of.map(({ wasThere }, n) => (wasThere ? writtenAt(target.database, pathOf(n)) : 'absent'));
      for (const [n, { isChanged }] of of.entries())
        if (isChanged) await put(setup, { paths: [pathOf(n)], mode: 'overwrite', value: 'theirs' });
      await setup.end();
      target.attempts.clear();
      scripts = of;
      const writer = new BatchWriter(source, { limit: { writes: 5 } });
      for (const [n, { mode }] of of.entries()) await give(writer, { path: pathOf(n), mode, condition: conditions[n] });
      const tally = await writer.end();
      const failed = of.filter(({ isChanged }) => isChanged).length;
      deepEqual([tally.given, tally.written, tally.skipped, tally.failed], [of.length, of.length - failed, 0, failed]);
      for (const [n, { mode, isChanged }] of of.entries()) {
        const expected = isChanged ? 'theirs' : mode === 'delete' ? undefined : 'ours';
        deepEqual(fieldsAt(target.database, pathOf(n)), expected && hexFields({ who: text(expected) }));
      }
    }),
    { numRuns: propertyRuns({ quick: 20, usual: 60 }) },
  );
});
