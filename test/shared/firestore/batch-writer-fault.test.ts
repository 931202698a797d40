/** Whatever breaks on the way: it is known of every write what became of it, and nothing is done twice that must not be. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { after, before, beforeEach, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Firestore } from '../../../infra/local/engines/firestore/index.ts';
import { RpcError } from '../../../infra/local/engines/firestore/parts.ts';
import { BatchWriter, type WriterOptions } from '../../../shared/firestore/batch-writer.ts';
import { probeSource, SourceError, type SourceErrorCode, type SourceOptions } from '../../../shared/firestore/index.ts';
import type { WriteMode } from '../../../shared/firestore/write-encoder.ts';
import { startCutter } from './cutter.ts';
import { answer, raw, startScripted } from './scripted.ts';
import { documentOf, fieldsAt, hexFields, integer, startTarget, text } from './target.ts';
import { name, sourceOf, startServer } from './world.ts';

let server: Firestore;
before(async () => {
  server = await startServer();
});
after(() => server.stop());
beforeEach(() => {
  server.faults.clear();
  server.faults.resetCalls();
});

const failing =
  (code: SourceErrorCode, isTransient = false) =>
  (error: unknown) => {
    ok(error instanceof SourceError, String(error));
    equal(error.code, code);
    equal(error.isTransient, isTransient);
    return true;
  };

/** A source and a writer to it that end with the test. */
const writerTo = (t: TestContext, url: string, options: WriterOptions = {}, source: Partial<SourceOptions> = {}) => {
  const target = sourceOf(url, source);
  t.after(() => target.close());
  return { writer: new BatchWriter(target, options), source: target };
};
const pathsOf = (collection: string, count: number) => Array.from({ length: count }, (_, n) => `${collection}/${n}`);
const put = async (writer: BatchWriter, paths: readonly string[], mode: WriteMode, value = 'ours') => {
  for (const path of paths)
    await (mode === 'delete' ? writer.delete(path) : writer.put(documentOf(path, { who: text(value) }), mode));
};
const whoIs = (path: string): string | undefined => {
  const who = fieldsAt(server.databases.open(name), path)?.who;
  return who && Buffer.from(who, 'hex').subarray(3).toString();
};

test('every write is judged by its own status: some are sent again, some are told, none is sent twice for nothing', async (t) => {
  const target = await startTarget(t, (path, attempt) => {
    const n = Number(path.split('/')[1]);
    if (n % 20 === 3) return { status: 'INVALID_ARGUMENT', message: 'no such thing' };
    if (n % 20 === 5) return { status: 'OUT_OF_RANGE' };
    const passing = ['ABORTED', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'RESOURCE_EXHAUSTED', 'UNKNOWN'] as const;
    const status = passing[(n % 20) - 10];
    return status && attempt <= (n % 3) + 1 ? { status } : undefined;
  });
  const { writer } = writerTo(t, target.url);
  await put(writer, pathsOf('mixed', 200), 'overwrite');
  const tally = await writer.end();
  deepEqual([tally.given, tally.written, tally.skipped, tally.failed], [200, 180, 0, 20]);
  deepEqual(
    tally.failures.filter(({ code }) => code === 'INVALID_ARGUMENT').map(({ path, message }) => `${path} ${message}`),
    pathsOf('mixed', 200).flatMap((path, n) => (n % 20 === 3 ? [`${path} no such thing`] : [])),
  );
  for (const [path, attempts] of target.attempts) {
    const n = Number(path.split('/')[1]);
    equal(attempts, n % 20 >= 10 && n % 20 < 16 ? (n % 3) + 2 : 1, path);
  }
});

test('a write that never succeeds fails after so many tries, with its last status, and only that one', async (t) => {
  const target = await startTarget(t, (path) => (path === 'hot/7' ? { status: 'ABORTED', message: 'contention' } : undefined));
  const { writer, source } = writerTo(t, target.url, {}, { patience: { attempts: 4 } });
  await put(writer, pathsOf('hot', 50), 'overwrite');
  const tally = await writer.end();
  deepEqual(tally.failures, [{ path: 'hot/7', code: 'ABORTED', message: 'contention' }]);
  deepEqual([tally.written, target.attempts.get('hot/7'), target.attempts.get('hot/8')], [49, 4, 1]);
  deepEqual(source.delays, [75, 150, 300]);
});

const lost = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL', 'UNKNOWN', 'ABORTED', 'CANCELLED', 'RESOURCE_EXHAUSTED'] as const;
for (const status of lost)
  test(`when the answer is lost (${status}) every mode leaves and counts what it would have`, async (t) => {
    const theirs = pathsOf(`lost-${status}`, 40).filter((_, n) => n % 4 === 0);
    const same = pathsOf(`lost-${status}`, 40).filter((_, n) => n % 4 === 1);
    const first = writerTo(t, server.url).writer;
    await put(first, theirs, 'overwrite', 'theirs');
    await put(first, same, 'overwrite', 'ours');
    await first.end();
    const { writer, source } = writerTo(t, server.url, { since: (await probeSource(sourceOfTest(t))).readTime });
    server.faults.add({ method: 'BatchWrite', status, when: 'after', times: 2 });
    await put(writer, pathsOf(`lost-${status}`, 40), 'skip_existing');
    const tally = await writer.end();
    // What was there before is skipped, also what is the very same; what an unheard try has created is ours.
    deepEqual([tally.written, tally.skipped, tally.failed], [20, 20, 0]);
    for (const [n, path] of pathsOf(`lost-${status}`, 40).entries()) equal(whoIs(path), n % 4 === 0 ? 'theirs' : 'ours');
    for (const mode of ['overwrite', 'merge', 'delete'] as const) {
      server.faults.add({ method: 'BatchWrite', status, when: 'after', times: 2 });
      const next = new BatchWriter(source);
      await put(next, pathsOf(`lost-${status}`, 40), mode, mode);
      const { written, deleted } = await next.end();
      deepEqual([written, deleted], [40, mode === 'delete' ? 40 : 0]);
      for (const path of pathsOf(`lost-${status}`, 40)) equal(whoIs(path), mode === 'delete' ? undefined : mode);
    }
  });
const sourceOfTest = (t: TestContext) => {
  const source = sourceOf(server.url);
  t.after(() => source.close());
  return source;
};

test('a creator who comes between a lost answer and the next try keeps theirs, and it counts as skipped', async (t) => {
  const target = await startTarget(t, (path, attempt) => {
    // The first try was not applied, though nobody can know; before the second someone else was there.
    if (attempt > 1 || path.startsWith('rival/')) return undefined;
    return { status: 'UNAVAILABLE', isApplied: Number(path.split('/')[1]) % 2 === 0 };
  });
  const rival = writerTo(t, target.url);
  let isFirst = true;
  const sleep = async () => {
    if (!isFirst) return;
    isFirst = false;
    // The rival's try is not the first of its path.
    await put(rival.writer, pathsOf('between', 10), 'skip_existing', 'rival');
    await rival.writer.end();
  };
  const { readTime: since } = await probeSource(rival.source);
  const { writer } = writerTo(t, target.url, { since }, { sleep });
  await put(writer, pathsOf('between', 10), 'skip_existing');
  const tally = await writer.end();
  deepEqual([tally.written, tally.skipped, rival.writer.tally.written, rival.writer.tally.skipped], [5, 5, 5, 5]);
  for (const [n, path] of pathsOf('between', 10).entries())
    deepEqual(fieldsAt(target.database, path), hexFields({ who: text(n % 2 === 0 ? 'ours' : 'rival') }));
});

test('a run that takes up what another left open counts as written what that one has written', async (t) => {
  const { readTime: since } = await probeSource(sourceOfTest(t));
  const dead = writerTo(t, server.url).writer;
  await put(dead, pathsOf('repeat', 30).slice(0, 12), 'skip_existing');
  await dead.end();
  const other = writerTo(t, server.url).writer;
  await put(other, pathsOf('repeat', 30).slice(12, 16), 'overwrite', 'theirs');
  await other.end();
  const { writer } = writerTo(t, server.url, { since, isRepeat: true });
  await put(writer, pathsOf('repeat', 30), 'skip_existing');
  const tally = await writer.end();
  deepEqual([tally.written, tally.skipped], [26, 4]);
});

test('a document that vanishes before it can be compared is created', async (t) => {
  let isRemoved = false;
  const target = await startTarget(t, (path, attempt) => {
    if (path !== 'gone/1' || attempt !== 2) return attempt === 1 ? { status: 'UNAVAILABLE', isApplied: true } : undefined;
    isRemoved = true;
    return { status: 'ALREADY_EXISTS' };
  });
  const helper = writerTo(t, target.url).writer;
  const { writer } = writerTo(
    t,
    target.url,
    {},
    {
      sleep: async () => {
        if (isRemoved) return;
        await helper.delete('gone/1');
        await helper.flush();
      },
    },
  );
  await put(writer, ['gone/1'], 'skip_existing');
  equal((await writer.end()).written, 1);
  deepEqual(fieldsAt(target.database, 'gone/1'), hexFields({ who: text('ours') }));
});

test('whatever statuses come in whatever order, the counts and the target agree', async (t) => {
  interface Script {
    readonly isThere: boolean;
    readonly mode: WriteMode;
    readonly faults: readonly { readonly status: (typeof lost)[number]; readonly isApplied: boolean }[];
  }
  let scripts: readonly Script[] = [];
  const target = await startTarget(t, (path, attempt) => {
    const [collection = '', n = ''] = path.split('/');
    const fault = collection.startsWith('random') ? scripts[Number(n)]?.faults[attempt - 1] : undefined;
    // These say that nothing was done.
    const isApplied = fault?.isApplied && fault.status !== 'ABORTED' && fault.status !== 'RESOURCE_EXHAUSTED';
    return fault && { status: fault.status, isApplied: isApplied ?? false };
  });
  const { source } = writerTo(t, target.url);
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
      for (const [n, { isThere }] of of.entries()) if (isThere) await put(setup, [`${collection}/${n}`], 'overwrite', 'there');
      await setup.end();
      target.attempts.clear();
      scripts = of;
      const { readTime: since } = await probeSource(source);
      const writer = new BatchWriter(source, { since, limit: { writes: 5 } });
      for (const [n, { mode }] of of.entries()) await put(writer, [`${collection}/${n}`], mode);
      const tally = await writer.end();
      const skipped = of.filter(({ isThere, mode }) => isThere && mode === 'skip_existing').length;
      deepEqual([tally.given, tally.written, tally.skipped, tally.failed], [of.length, of.length - skipped, skipped, 0]);
      for (const [n, { isThere, mode }] of of.entries()) {
        const who = mode === 'skip_existing' && isThere ? 'there' : 'ours';
        const expected = mode === 'delete' ? undefined : hexFields({ who: text(who) });
        deepEqual(fieldsAt(target.database, `${collection}/${n}`), expected);
      }
    }),
    { numRuns: 60 },
  );
});

test('a connection that is lost after any number of bytes loses no write and counts none twice', async (t) => {
  const cutter = await startCutter(server.port);
  t.after(() => cutter.close());
  const { readTime: since } = await probeSource(sourceOfTest(t));
  const { source } = writerTo(t, cutter.url);
  for (let bytes = 0; bytes < 3_000; bytes += 211) {
    const paths = pathsOf(`cut-${bytes}`, 60);
    cutter.cutAfter(bytes);
    const writer = new BatchWriter(source, { since, limit: { writes: 8 } });
    await put(writer, paths, 'skip_existing');
    const tally = await writer.end();
    deepEqual([tally.written, tally.skipped, tally.failed], [60, 0, 0]);
    for (const path of paths) equal(whoIs(path), 'ours');
  }
});

test('a target that does not answer any more ends the job after so many tries; what is not known stays open', async (t) => {
  const { writer, source } = writerTo(t, server.url, { limit: { writes: 10 } }, { patience: { attempts: 5 } });
  await put(writer, pathsOf('away', 10), 'overwrite');
  await writer.flush();
  server.faults.add({ method: 'BatchWrite', times: 10_000, status: 'UNAVAILABLE' });
  await put(writer, pathsOf('away', 20).slice(10), 'overwrite');
  await rejects(writer.end(), failing('INTERNAL_ERROR', true));
  const { given, written, open } = writer.tally;
  deepEqual([given, written, open], [20, 10, 10]);
  throws(() => writer.put(documentOf('away/30', {}), 'overwrite'), failing('INTERNAL_ERROR', true));
  ok(source.delays.includes(75) && source.delays.includes(600));
});

for (const [count, status] of [
  [120, 'INTERNAL'],
  [120, 'DEADLINE_EXCEEDED'],
  [4, 'UNAVAILABLE'],
  [1, 'INTERNAL'],
] as const)
  test(`one of ${count} documents that the target always answers with ${status} fails, and it alone`, async (t) => {
    const collection = `trip-${count}-${status}`;
    server.faults.add({ method: 'BatchWrite', times: 10_000, status, contains: `${collection}/0\u0012` });
    const { writer } = writerTo(t, server.url);
    await put(writer, pathsOf(collection, count), 'overwrite');
    const tally = await writer.end();
    deepEqual([tally.written, tally.failed], [count - 1, 1]);
    deepEqual(tally.failures, [{ path: `${collection}/0`, code: status, message: 'Injected fault.' }]);
  });

test('a request that is too large for the target is cut to a tenth, and all of it is written', async (t) => {
  const { writer } = writerTo(t, server.url, { limit: { bytes: 40 << 20 } });
  const large = 'x'.repeat(900_000);
  for (const path of pathsOf('tenth', 14)) await writer.put(documentOf(path, { a: text(large) }), 'overwrite');
  equal((await writer.end()).written, 14);
  // The one that is too large does not get as far as being counted.
  equal(server.faults.calls.BatchWrite, 7);
});

test('an exhausted target is left alone for longer and longer, and then goes on: nothing has failed', async (t) => {
  const target = await startTarget(t, (_, attempt) => (attempt <= 14 ? { status: 'RESOURCE_EXHAUSTED' } : undefined));
  const { writer, source } = writerTo(t, target.url);
  await put(writer, pathsOf('quota', 20), 'overwrite');
  equal((await writer.end()).written, 20);
  const rested = source.delays.reduce((sum, ms) => sum + ms, 0);
  ok(rested > 5 * 60_000, `${rested} ms`);
  deepEqual(source.delays.slice(0, 4), [750, 1_500, 3_000, 6_000]);
});

test('a target without quota for a quarter of an hour ends the job as WRITE_QUOTA_EXCEEDED, which may be taken up later', async (t) => {
  const target = await startTarget(t, (_, attempt) => (attempt > 0 ? { status: 'RESOURCE_EXHAUSTED' } : undefined));
  const { writer, source } = writerTo(t, target.url);
  await put(writer, pathsOf('none', 20), 'overwrite');
  await rejects(writer.end(), failing('WRITE_QUOTA_EXCEEDED', true));
  equal(writer.tally.open, 20);
  ok(source.delays.reduce((sum, ms) => sum + ms, 0) > 14 * 60_000);
});

test('a quota that takes part of every request lets all documents through in the end', async (t) => {
  server.faults.limitWrites(name.projectId, 2_000);
  const sleep = () => new Promise<void>((done) => setTimeout(done, 20));
  const { writer } = writerTo(t, server.url, {}, { sleep });
  await put(writer, pathsOf('part', 3_000), 'skip_existing');
  const { written, failed } = await writer.end();
  deepEqual([written, failed], [3_000, 0]);
});

test('a target that refuses ends the job at once as TARGET_PERMISSION_DENIED', async (t) => {
  server.faults.revoke(name.projectId);
  const revoked = writerTo(t, server.url).writer;
  await put(revoked, pathsOf('denied', 30), 'overwrite');
  await rejects(revoked.end(), failing('TARGET_PERMISSION_DENIED'));
  equal(server.faults.calls.BatchWrite, 1);
  equal(revoked.tally.open, 30);
  const strict = await startServer({ createOnUse: false });
  t.after(() => strict.stop());
  const missing = writerTo(t, strict.url).writer;
  await put(missing, pathsOf('denied', 3), 'overwrite');
  await rejects(missing.end(), failing('TARGET_PERMISSION_DENIED'));
  equal(strict.faults.calls.BatchWrite, 1);
});

test('a refusal among the statuses of a request ends the job, and what was written beside it counts', async (t) => {
  const target = await startTarget(t, (path) => (path === 'rules/4' ? { status: 'PERMISSION_DENIED' } : undefined));
  const { writer } = writerTo(t, target.url);
  await put(writer, pathsOf('rules', 10), 'overwrite');
  await rejects(writer.end(), failing('TARGET_PERMISSION_DENIED'));
  deepEqual([writer.tally.written, writer.tally.open], [9, 1]);
});

test('a token that has run out is replaced once; one that is refused anew, or a grant that is gone, ends the job', async (t) => {
  let valid = 'first';
  const guarded = await startServer({
    authorize: (token) => {
      if (token !== valid) throw new RpcError('UNAUTHENTICATED', 'no');
    },
  });
  t.after(() => guarded.stop());
  let given = 'first';
  const token = async ({ refresh }: { refresh: boolean }) => {
    if (refresh) given = 'second';
    return given;
  };
  const { writer } = writerTo(t, guarded.url, {}, { token });
  await put(writer, pathsOf('token', 5), 'overwrite');
  await writer.flush();
  valid = 'second';
  await put(writer, pathsOf('token2', 5), 'overwrite');
  equal((await writer.end()).written, 10);
  valid = 'third';
  const refused = writerTo(t, guarded.url, {}, { token }).writer;
  await put(refused, pathsOf('token3', 5), 'overwrite');
  await rejects(refused.end(), failing('TARGET_PERMISSION_DENIED'));
  const gone = writerTo(
    t,
    guarded.url,
    {},
    {
      token: async () => {
        throw new SourceError('SOURCE_AUTH_ERROR', 'The connection was revoked.');
      },
    },
  ).writer;
  await put(gone, pathsOf('token4', 5), 'overwrite');
  await rejects(gone.end(), failing('TARGET_PERMISSION_DENIED'));
});

test('an answer without a status for every write, or that is none, is no answer', async (t) => {
  const fine = Buffer.from([0x12, 0]);
  const framed = (message: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  const scripted = await startScripted(
    raw(framed(Buffer.alloc(0))),
    raw(framed(Buffer.concat([fine, fine]))),
    raw(framed(Buffer.from([0x12, 9]))),
    raw(framed(fine).subarray(0, 6)),
    raw(Buffer.alloc(0)),
    answer([], null),
    raw(framed(fine)),
  );
  t.after(() => scripted.close());
  const { writer } = writerTo(t, scripted.url);
  await put(writer, ['few/1'], 'overwrite');
  equal((await writer.end()).written, 1);
  equal(scripted.calls(), 7);
});

test('a writer that is stopped sends nothing more, hears what is under way, and says what is open', async (t) => {
  const controller = new AbortController();
  const { writer } = writerTo(t, server.url, { signal: controller.signal, limit: { writes: 10 }, requestsAtOnce: 2 });
  server.faults.add({ method: 'BatchWrite', delayMs: 60, times: 1_000 });
  await put(writer, pathsOf('stop', 35), 'overwrite');
  const ending = writer.end();
  controller.abort();
  await rejects(ending, failing('CANCELLED'));
  const { given, written, open } = writer.tally;
  deepEqual([given, written + open], [35, 35]);
  ok(written <= 20);
  equal(pathsOf('stop', 35).filter((path) => whoIs(path) === 'ours').length, written);
  throws(() => writer.delete('stop/1'), failing('CANCELLED'));
});

test('a writer that is stopped while it rests, or before it began, ends at once', async (t) => {
  const aborted = writerTo(t, server.url, { signal: AbortSignal.abort() }).writer;
  throws(() => aborted.put(documentOf('a/b', {}), 'overwrite'), failing('CANCELLED'));
  await rejects(aborted.end(), failing('CANCELLED'));
  server.faults.add({ method: 'BatchWrite', status: 'RESOURCE_EXHAUSTED', times: 1_000 });
  const { writer } = writerTo(t, server.url, { signal: AbortSignal.timeout(80) }, { sleep: undefined as never });
  await put(writer, pathsOf('resting', 20), 'overwrite');
  await rejects(writer.end(), failing('CANCELLED'));
  equal(writer.tally.open, 20);
});

test('a writer waits for room: no more is open than a few requests hold', async (t) => {
  server.faults.add({ method: 'BatchWrite', delayMs: 5, times: 1_000 });
  const { writer } = writerTo(t, server.url, { limit: { writes: 10 }, requestsAtOnce: 3 });
  let most = 0;
  for (const path of pathsOf('room', 500)) {
    await writer.put(documentOf(path, { n: integer(1) }), 'overwrite');
    most = Math.max(most, writer.tally.open);
  }
  equal((await writer.end()).written, 500);
  ok(most <= 2 * 3 * 10, String(most));
});
