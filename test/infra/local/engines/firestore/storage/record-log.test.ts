import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { test } from 'vitest';
import { lastKey } from '../../../../../../infra/local/engines/firestore/base/path-key.ts';
import { openDatabases } from '../../../../../../infra/local/engines/firestore/storage/databases.ts';
import { RecordLog } from '../../../../../../infra/local/engines/firestore/storage/record-log.ts';
import {
  commit,
  databaseId,
  documentJson,
  get,
  holds,
  makeDatabase,
  makeFolder,
  remove,
  set,
} from '../../../../../harness/firestore/encoded.ts';

const n = (value: number) => ({ n: { integerValue: String(value) } });
const append = (log: RecordLog, text: string) => {
  const bytes = Buffer.from(text);
  const { buffer, at } = log.reserve(bytes.length);
  bytes.copy(buffer, at);
  log.append();
};
const reopened = (path: string): string[] => {
  const records: string[] = [];
  RecordLog.open(path, (record) => records.push(record.toString())).close();
  return records;
};
const everything = (database: ReturnType<typeof makeDatabase>) =>
  [...database.scan('', lastKey, { at: database.readTime() })].map(({ bytes }) => documentJson(bytes));

test('record log: records are replayed, including those written after reopening', (t) =>
  holds(
    t,
    fc.property(fc.array(fc.array(fc.string(), { maxLength: 5 }), { maxLength: 5 }), (sessions) => {
      const path = join(makeFolder(t), 'a.log');
      for (const records of sessions) {
        const log = RecordLog.open(path, () => undefined);
        for (const record of records) append(log, record);
        log.close();
      }
      assert.deepEqual(reopened(path), sessions.flat());
    }),
    30,
  ));

test('record log: a log truncated anywhere keeps all complete records and continues from there', (t) => {
  const folder = makeFolder(t);
  const whole = join(folder, 'whole.log');
  const log = RecordLog.open(whole, () => undefined);
  const records = ['first', '', 'third record', 'x'.repeat(300)];
  const ends: number[] = [];
  for (const record of records) {
    append(log, record);
    ends.push(log.size);
  }
  log.close();
  const bytes = readFileSync(whole);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const path = join(folder, 'cut.log');
    writeFileSync(path, bytes.subarray(0, cut));
    const kept = records.slice(0, ends.filter((end) => end <= cut).length);
    assert.deepEqual(reopened(path), kept);
    const again = RecordLog.open(path, () => undefined);
    append(again, 'after');
    again.close();
    assert.deepEqual(reopened(path), [...kept, 'after']);
  }
});

test('record log: a damaged record is discarded', (t) => {
  const path = join(makeFolder(t), 'a.log');
  const log = RecordLog.open(path, () => undefined);
  append(log, 'good');
  const end = log.size;
  append(log, 'this one is damaged');
  log.close();
  const bytes = readFileSync(path);
  bytes[end + 12] = (bytes[end + 12] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  assert.deepEqual(reopened(path), ['good']);
});

test('record log: a file that is not a log is not changed', (t) => {
  const path = join(makeFolder(t), 'a.log');
  writeFileSync(path, 'something else altogether');
  assert.throws(() => reopened(path));
  assert.equal(readFileSync(path, 'utf8'), 'something else altogether');
});

test('journal: a reopened database has the same documents, times and versions, before and after compaction', async (t) => {
  const dir = makeFolder(t);
  let database = makeDatabase(t, { dir });
  for (let i = 0; i < 100; i++) await commit(database, set(`c/${i}`, n(i)), set(`c/${i}/s/x`, n(-i)));
  const middle = database.readTime();
  for (let i = 0; i < 100; i += 3) await commit(database, remove(`c/${i}`), set(`c/${i + 1}`, n(1000 + i)));
  const expected = everything(database);
  const then = [...database.scan('', lastKey, { at: middle })].map(({ bytes }) => documentJson(bytes));
  const { size } = database;
  const check = () => {
    assert.equal(database.size, size);
    assert.deepEqual(everything(database), expected);
    assert.deepEqual(
      [...database.scan('', lastKey, { at: middle })].map(({ bytes }) => documentJson(bytes)),
      then,
    );
  };
  database.close();
  database = makeDatabase(t, { dir });
  check();
  // A commit during the snapshot belongs to the next log.
  const compacted = database.compact();
  await commit(database, set('during/1', n(1)));
  await compacted;
  await commit(database, set('after/1', n(1)));
  await commit(database, remove('during/1'), remove('after/1'));
  check();
  assert.deepEqual(readdirSync(dir).sort(), ['1.log', '1.snapshot']);
  database.close();
  database = makeDatabase(t, { dir });
  check();
});

test('journal: an interrupted compaction has no effect', async (t) => {
  const dir = makeFolder(t);
  let database = makeDatabase(t, { dir });
  await commit(database, set('c/1', n(1)));
  void database.compact();
  await commit(database, set('c/2', n(2)));
  // Simulates a crash: the snapshot was never renamed.
  database.close();
  writeFileSync(join(dir, '1.snapshot.tmp'), 'half a snapshot');
  database = makeDatabase(t, { dir });
  assert.deepEqual(
    [...database.scan('', lastKey, { at: database.readTime() })].map(({ path }) => path),
    ['c/1', 'c/2'],
  );
  assert.ok(!existsSync(join(dir, '1.snapshot.tmp')));
});

test('journal: a torn log loses only the unacknowledged commit', async (t) => {
  const dir = makeFolder(t);
  const database = makeDatabase(t, { dir });
  await commit(database, set('c/1', n(1)));
  const file = join(dir, '0.log');
  const { length } = readFileSync(file);
  await commit(database, set('c/2', n(2)), set('c/3', n(3)));
  database.close();
  truncateSync(file, readFileSync(file).length - 1);
  const again = makeDatabase(t, { dir });
  assert.deepEqual(
    [...again.scan('', lastKey, { at: again.readTime() })].map(({ path }) => path),
    ['c/1'],
  );
  assert.equal(readFileSync(file).length, length);
});

test('journal: a commit that cannot be written to disk has no effect', async (t) => {
  const database = makeDatabase(t, { dir: makeFolder(t) });
  await commit(database, set('c/1', n(1)));
  database.close();
  await assert.rejects(commit(database, set('c/1', n(2)), set('c/2', n(2))), { code: 'EBADF' });
  assert.deepEqual(
    everything(database).map(({ fields }) => fields),
    [n(1)],
  );
});

test('journal: settings and databases of several projects survive', async (t) => {
  const dir = makeFolder(t);
  const first = openDatabases({ dir });
  const names = [databaseId, { projectId: 'q.r:s', databaseId: '(default)' }, { projectId: 'p', databaseId: 'other' }];
  for (const name of names) first.open(name);
  await commit(first.open(databaseId), set('c/d', n(1)));
  first.setPointInTimeRecovery(databaseId, true);
  first.close();
  const second = openDatabases({ dir });
  t.onTestFinished(() => second.close());
  assert.deepEqual(
    second
      .list()
      .map(({ name }) => name)
      .sort(),
    first
      .list()
      .map(({ name }) => name)
      .sort(),
  );
  assert.ok(second.open(databaseId).pointInTimeRecovery);
  assert.deepEqual(documentJson(get(second.open(databaseId), 'c/d')!.bytes).fields, n(1));
});

test('journal: acknowledged commits survive kill -9', async (t) => {
  const dir = makeFolder(t);
  const writer = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../../../../harness/firestore/log-writer.ts', import.meta.url)), dir],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let acknowledged = -1;
  const lines = createInterface({ input: writer.stdout });
  lines.on('line', (line) => {
    acknowledged = Number(line);
    if (acknowledged === 300) writer.kill('SIGKILL');
  });
  await once(writer, 'close');
  assert.ok(acknowledged >= 300);
  const database = makeDatabase(t, { dir });
  for (let i = 0; i <= acknowledged; i++) assert.ok(get(database, `c/${i}`), `c/${i} of ${acknowledged} is lost`);
});
