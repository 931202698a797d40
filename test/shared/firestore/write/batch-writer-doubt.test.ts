/** A write with a lost response may have been applied: it takes effect once and is counted correctly. */
import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { BatchWriter } from '../../../../shared/firestore/write/batch-writer.ts';
import type { WriteMode } from '../../../../shared/firestore/write/write-encoder.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { startCutter } from '../../../harness/faults/connection-cutter.ts';
import { fieldsAt, hexFields, startTarget, text } from '../../../harness/faults/faulty-target.ts';
import { startServer } from '../../../harness/firestore/firestore-server.ts';
import { pathsOf, put, whoIs, writerTo } from '../../../harness/firestore/writer-env.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

const lost = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN', 'ABORTED', 'CANCELLED', 'RESOURCE_EXHAUSTED'] as const;

for (const status of lost)
  test(`batch writer: after a lost response (${status}) every mode has the intended effect and counts`, async (t) => {
    const theirs = pathsOf(`lost-${status}`, 40).filter((_, n) => n % 4 === 0);
    const first = writerTo(t, { url: server.url }).writer;
    await put(first, { paths: theirs, mode: 'overwrite', value: 'theirs' });
    await first.end();
    const { writer, source } = writerTo(t, { url: server.url });
    server.faults.add({ method: 'BatchWrite', status, when: 'after', times: 2 });
    await put(writer, { paths: pathsOf(`lost-${status}`, 40), mode: 'skip_existing' });
    const tally = await writer.end();
    // Existing documents are skipped; documents created by an unacknowledged attempt are ours.
    deepEqual([tally.written, tally.skipped, tally.failed], [30, 10, 0]);
    for (const [n, path] of pathsOf(`lost-${status}`, 40).entries()) equal(whoIs(server, path), n % 4 === 0 ? 'theirs' : 'ours');
    for (const mode of ['overwrite', 'merge', 'delete'] as const) {
      server.faults.add({ method: 'BatchWrite', status, when: 'after', times: 2 });
      const next = new BatchWriter(source);
      await put(next, { paths: pathsOf(`lost-${status}`, 40), mode, value: mode });
      const { written, deleted } = await next.end();
      deepEqual([written, deleted], [40, mode === 'delete' ? 40 : 0]);
      for (const path of pathsOf(`lost-${status}`, 40)) equal(whoIs(server, path), mode === 'delete' ? undefined : mode);
    }
  });

test('batch writer: a document created by another client after a lost response is kept and counts as skipped', async (t) => {
  const target = await startTarget(t, (path, attempt) => {
    // The first attempt was not applied, which the writer cannot know; another client writes before the second.
    if (attempt > 1 || path.startsWith('rival/')) return undefined;
    return { status: 'UNAVAILABLE', isApplied: Number(path.split('/')[1]) % 2 === 0 };
  });
  const rival = writerTo(t, { url: target.url });
  let isFirst = true;
  const sleep = async () => {
    if (!isFirst) return;
    isFirst = false;
    // The attempt of the other client is not the first of its path.
    await put(rival.writer, { paths: pathsOf('between', 10), mode: 'skip_existing', value: 'rival' });
    await rival.writer.end();
  };
  const { writer } = writerTo(t, { url: target.url, options: {}, source: { sleep } });
  await put(writer, { paths: pathsOf('between', 10), mode: 'skip_existing' });
  const tally = await writer.end();
  deepEqual([tally.written, tally.skipped, rival.writer.tally.written, rival.writer.tally.skipped], [5, 5, 5, 5]);
  for (const [n, path] of pathsOf('between', 10).entries())
    deepEqual(fieldsAt(target.database, path), hexFields({ who: text(n % 2 === 0 ? 'ours' : 'rival') }));
});

test('batch writer: a repeated run counts the writes of the earlier run as written', async (t) => {
  const dead = writerTo(t, { url: server.url }).writer;
  await put(dead, { paths: pathsOf('repeat', 30).slice(0, 12), mode: 'skip_existing' });
  await dead.end();
  const other = writerTo(t, { url: server.url }).writer;
  await put(other, { paths: pathsOf('repeat', 30).slice(12, 16), mode: 'overwrite', value: 'theirs' });
  await other.end();
  const { writer } = writerTo(t, { url: server.url, options: { isRepeat: true } });
  await put(writer, { paths: pathsOf('repeat', 30), mode: 'skip_existing' });
  const tally = await writer.end();
  deepEqual([tally.written, tally.skipped], [26, 4]);
});

test('batch writer: a document that disappears before the comparison is created', async (t) => {
  let isRemoved = false;
  const target = await startTarget(t, (path, attempt) => {
    if (path !== 'gone/1' || attempt !== 2) return attempt === 1 ? { status: 'UNAVAILABLE', isApplied: true } : undefined;
    isRemoved = true;
    return { status: 'ALREADY_EXISTS' };
  });
  const helper = writerTo(t, { url: target.url }).writer;
  const { writer } = writerTo(t, {
    url: target.url,
    options: {},
    source: {
      sleep: async () => {
        if (isRemoved) return;
        await helper.delete('gone/1');
        await helper.flush();
      },
    },
  });
  await put(writer, { paths: ['gone/1'], mode: 'skip_existing' });
  equal((await writer.end()).written, 1);
  deepEqual(fieldsAt(target.database, 'gone/1'), hexFields({ who: text('ours') }));
});

test('batch writer: for any sequence of statuses the counts match the target', async (t) => {
  interface Script {
    readonly isThere: boolean;
    readonly mode: WriteMode;
    readonly faults: readonly { readonly status: (typeof lost)[number]; readonly isApplied: boolean }[];
  }
  let scripts: readonly Script[] = [];
  const target = await startTarget(t, (path, attempt) => {
    const [collection = '', n = ''] = path.split('/');
    const fault = collection.startsWith('random') ? scripts[Number(n)]?.faults[attempt - 1] : undefined;
    // These statuses mean that nothing was applied.
    const isApplied = fault?.isApplied && fault.status !== 'ABORTED' && fault.status !== 'RESOURCE_EXHAUSTED';
    return fault && { status: fault.status, isApplied: isApplied ?? false };
  });
  const { source } = writerTo(t, { url: target.url });
  const script = fc.record<Script>({
    isThere: fc.boolean(),
    mode: fc.constantFrom('overwrite', 'skip_existing', 'merge', 'delete'),
    faults: fc.array(fc.record({ status: fc.constantFrom(...lost), isApplied: fc.boolean() }), { maxLength: 4 }),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(script, { maxLength: 30 }), async (of) => {
      run += 1;
      const collection = `random${run}`;
      scripts = [];
      const setup = new BatchWriter(source);
      for (const [n, { isThere }] of of.entries())
        if (isThere) await put(setup, { paths: [`${collection}/${n}`], mode: 'overwrite', value: 'there' });
      await setup.end();
      target.attempts.clear();
      scripts = of;
      const writer = new BatchWriter(source, { limit: { writes: 5 } });
      for (const [n, { mode }] of of.entries()) await put(writer, { paths: [`${collection}/${n}`], mode });
      const tally = await writer.end();
      const skipped = of.filter(({ isThere, mode }) => isThere && mode === 'skip_existing').length;
      deepEqual([tally.given, tally.written, tally.skipped, tally.failed], [of.length, of.length - skipped, skipped, 0]);
      for (const [n, { isThere, mode }] of of.entries()) {
        const who = mode === 'skip_existing' && isThere ? 'there' : 'ours';
        const expected = mode === 'delete' ? undefined : hexFields({ who: text(who) });
        deepEqual(fieldsAt(target.database, `${collection}/${n}`), expected);
      }
    }),
    { numRuns: propertyRuns({ quick: 20, usual: 60 }) },
  );
});

test('batch writer: a connection lost after any number of bytes loses no write and counts none twice', async (t) => {
  const cutter = await startCutter(server.port);
  t.onTestFinished(() => cutter.close());
  const { source } = writerTo(t, { url: cutter.url });
  for (let bytes = 0; bytes < 3_000; bytes += 211) {
    const paths = pathsOf(`cut-${bytes}`, 60);
    cutter.cutAfter(bytes);
    const writer = new BatchWriter(source, { limit: { writes: 8 } });
    await put(writer, { paths, mode: 'skip_existing' });
    const tally = await writer.end();
    deepEqual([tally.written, tally.skipped, tally.failed], [60, 0, 0]);
    for (const path of paths) equal(whoIs(server, path), 'ours');
  }
});
