import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { below, lastKey, pathKey } from '../../../../../../infra/local/engines/firestore/base/path-key.ts';
import type { DocumentChange, Micros } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import { openDatabases } from '../../../../../../infra/local/engines/firestore/storage/databases.ts';
import { makeSystemClock } from '../../../../../../infra/local/engines/firestore/storage/system-clock.ts';
import { day, hour, minute, second } from '../../../../../../infra/local/engines/firestore/value/timestamps.ts';
import {
  commit,
  documentJson,
  fieldsOf,
  get,
  holds,
  makeDatabase,
  makeFolder,
  remove,
  root,
  set,
} from '../../../../../harness/firestore/encoded.ts';

const n = (value: number) => ({ n: { integerValue: String(value) } });
/** A manual clock. */
const makeClock = (start = Date.UTC(2026, 0, 1) * 1000) => {
  const clock = Object.assign(() => clock.now, { now: start });
  return clock;
};
const contents = (
  database: ReturnType<typeof makeDatabase>,
  {
    at,
    from = '',
    to = lastKey,
    backwards = false,
  }: {
    readonly at: Micros;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly backwards?: boolean | undefined;
  },
) => [...database.scan(from, to, { at, backwards })].map((document) => [document.path, JSON.stringify(fieldsOf(document.bytes))]);

test('database: a stored document is the encoded message with its name and times', async (t) => {
  const clock = makeClock();
  const database = makeDatabase(t, { clock });
  const { commitTime } = await commit(database, set('c/d', n(1)));
  clock.now += 5;
  const { commitTime: later } = await commit(database, set('c/d', n(2)));
  const stored = get(database, 'c/d')!;
  assert.deepEqual([stored.createTime, stored.updateTime, stored.path], [commitTime, later, 'c/d']);
  assert.deepEqual(documentJson(stored.bytes), {
    name: `${root}/c/d`,
    fields: n(2),
    createTime: { seconds: String(Math.floor(commitTime / second)) },
    updateTime: { seconds: String(Math.floor(later / second)), nanos: (later % second) * 1000 },
  });
});

test('database: commit times are strictly increasing and later than every earlier read', async (t) => {
  const clock = makeClock();
  const database = makeDatabase(t, { clock });
  let last = 0;
  for (let i = 0; i < 20; i++) {
    const read = database.readTime();
    assert.ok(read >= last);
    const { commitTime } = await commit(database, set('c/d', n(i)));
    assert.ok(commitTime > read);
    last = commitTime;
    // Even if the system clock is set back.
    if (i === 10) clock.now -= 1000 * second;
  }
});

test('database: commits after a restart are later than those before it, also if the system clock was set back', async (t) => {
  const dir = makeFolder(t);
  const clock = makeClock(Date.UTC(2026, 0, 1) * 1000 + 123_457);
  const before = makeDatabase(t, { clock, dir });
  const { commitTime: first } = await commit(before, set('c/d', n(1)));
  const { commitTime: last } = await commit(before, remove('c/d'));
  before.close();
  clock.now -= 500;
  const after = makeDatabase(t, { clock, dir });
  assert.deepEqual([get(after, 'c/d', first)?.updateTime, get(after, 'c/d', last)], [first, undefined]);
  const { commitTime } = await commit(after, set('c/d', n(2)));
  assert.ok(commitTime > last);
  assert.equal(get(after, 'c/d')?.updateTime, commitTime);
});

test('system clock: it has microseconds of its own, in the millisecond that the system clock has', () => {
  // Microseconds; the timer's milliseconds begin elsewhere than those of the system clock.
  let system = Date.UTC(2026, 0, 1) * 1000;
  let timer = 5_000_250;
  const clock = makeSystemClock(
    () => Math.floor(system / 1000),
    () => timer / 1000,
  );
  let last = clock();
  assert.equal(last % 1000, 250);
  for (let i = 0; i < 500; i++) {
    system += 37;
    timer += 37;
    const now = clock();
    assert.ok(now >= last && Math.floor(now / 1000) === Math.floor(system / 1000), `${now} after ${last} at ${system}`);
    // From the second millisecond on it is exact.
    if (i > 60) assert.ok(Math.abs(now - system) < 37);
    last = now;
  }
  for (const set of [hour, -2 * hour]) {
    system += set;
    assert.equal(Math.floor(clock() / 1000), Math.floor(system / 1000));
  }
});

test('database: every read time of the last hour shows the state of that time', (t) =>
  holds(
    t,
    fc.asyncProperty(
      fc.array(
        fc.record({
          path: fc.constantFrom('a/1', 'a/2', 'a/1/b/1', 'a/1/b/2', 'b/__id7__', 'b/x'),
          value: fc.option(fc.nat(3)),
          gap: fc.integer({ min: 0, max: 10 * minute }),
        }),
        { maxLength: 60 },
      ),
      async (steps) => {
        const clock = makeClock();
        const database = makeDatabase(t, { clock });
        const model = new Map<string, string>();
        const history: [Micros, [string, string][]][] = [];
        for (const { path, value, gap } of steps) {
          const { commitTime } = await commit(database, value === null ? remove(path) : set(path, n(value)));
          if (value === null) model.delete(path);
          else model.set(path, JSON.stringify(n(value)));
          history.push([commitTime, [...model].sort(([x], [y]) => (pathKey(x) < pathKey(y) ? -1 : 1))]);
          clock.now += gap;
          if (gap % 3 === 0) database.sweep();
        }
        for (const [time, expected] of history) {
          if (time < clock.now - hour) assert.throws(() => database.checkReadTime(time), { code: 'FAILED_PRECONDITION' });
          else {
            database.checkReadTime(time);
            assert.deepEqual(contents(database, { at: time }), expected);
            assert.deepEqual(contents(database, { at: time, from: '', to: lastKey, backwards: true }), expected.toReversed());
            const { from, to } = below(pathKey('a/1'));
            assert.deepEqual(
              contents(database, { at: time, from, to }),
              expected.filter(([path]) => path.startsWith('a/1/')),
            );
          }
        }
        database.close();
      },
    ),
    60,
  ));

test('database: future times and times beyond the retention are rejected', (t) => {
  const clock = makeClock();
  const database = makeDatabase(t, { clock });
  database.checkReadTime(clock.now);
  database.checkReadTime(clock.now - hour);
  assert.throws(() => database.checkReadTime(clock.now + 1), {
    code: 'INVALID_ARGUMENT',
    message: "The requested 'read_time' cannot be in the future.",
  });
  assert.throws(() => database.checkReadTime(clock.now - hour - 1), {
    code: 'FAILED_PRECONDITION',
    message: 'The requested snapshot version is too old.',
  });
});

test('database: with point-in-time recovery whole minutes of seven days can be read, and nothing else is kept', async (t) => {
  const clock = makeClock();
  const database = makeDatabase(t, { clock });
  database.setPointInTimeRecovery(true);
  const start = clock.now;
  const expected = new Map<Micros, string>();
  for (let i = 0; i < 40; i++) {
    const { commitTime } = await commit(database, set('c/d', n(i)));
    if (commitTime % minute === 0) expected.set(commitTime, JSON.stringify(n(i)));
    clock.now += 20 * second;
  }
  clock.now = start + 2 * day;
  database.sweep();
  for (const [time, fields] of expected) {
    database.checkReadTime(time);
    assert.equal(JSON.stringify(fieldsOf(get(database, 'c/d', time)!.bytes)), fields);
  }
  assert.throws(() => database.checkReadTime(start + 20 * second), { code: 'INVALID_ARGUMENT' });
  assert.throws(() => get(database, 'c/d', start + 20 * second), { code: 'FAILED_PRECONDITION' });
  clock.now = start + 8 * day;
  assert.throws(() => database.checkReadTime(start + minute), { code: 'FAILED_PRECONDITION' });
  database.sweep();
  database.setPointInTimeRecovery(false);
  assert.throws(() => database.checkReadTime(clock.now - 2 * hour + ((clock.now - 2 * hour) % minute)), {
    code: 'FAILED_PRECONDITION',
  });
  assert.equal(database.size, 1);
});

test('database: a scan is isolated from concurrent commits', async (t) => {
  const database = makeDatabase(t);
  const ids = Array.from({ length: 1000 }, (_, i) => `c/${String(i).padStart(4, '0')}`);
  await commit(database, ...ids.map((id) => set(id, n(0))));
  const at = database.readTime();
  const seen: string[] = [];
  let i = 0;
  for (const document of database.scan('', lastKey, { at })) {
    seen.push(document.path);
    assert.deepEqual(fieldsOf(document.bytes), n(0));
    await commit(database, remove(ids[(i * 3) % 1000]!), set(`c/${i}-new`, n(1)), set(ids[(i * 7 + 1) % 1000]!, n(2)));
    i++;
  }
  assert.deepEqual(seen, ids);
});

test('database: a scan fails when its snapshot expires, instead of missing documents', async (t) => {
  const clock = makeClock();
  const database = makeDatabase(t, { clock });
  await commit(database, ...Array.from({ length: 10 }, (_, i) => set(`c/${i}`, n(i))));
  const at = database.readTime();
  const walk = database.scan('', lastKey, { at })[Symbol.iterator]();
  walk.next();
  clock.now += 2 * hour;
  database.sweep();
  assert.throws(() => walk.next(), { code: 'FAILED_PRECONDITION', message: 'The requested snapshot version is too old.' });

  const other = database.scan('', lastKey, { at: database.readTime() })[Symbol.iterator]();
  const before = database.readTime();
  other.next();
  database.expireSnapshots();
  assert.throws(() => other.next(), { code: 'FAILED_PRECONDITION' });
  assert.throws(() => database.checkReadTime(before), { code: 'FAILED_PRECONDITION' });
  assert.equal([...database.scan('', lastKey, { at: database.readTime() })].length, 10);
});

test('database: changes between two times are the documents whose states differ', (t) =>
  holds(
    t,
    fc.asyncProperty(
      fc.array(fc.record({ path: fc.constantFrom('a/1', 'a/2', 'b/1'), value: fc.option(fc.nat(2)) }), {
        minLength: 1,
        maxLength: 30,
      }),
      fc.nat(),
      async (steps, cut) => {
        const database = makeDatabase(t);
        const times: Micros[] = [database.readTime()];
        for (const { path, value } of steps)
          times.push((await commit(database, value === null ? remove(path) : set(path, n(value)))).commitTime);
        const after = times[cut % times.length]!;
        const at = times.at(-1)!;
        const found = [...database.changes('', lastKey, { after, at })].map(({ path, before, after: now }) => [
          path,
          before?.updateTime,
          now?.updateTime,
        ]);
        const expected = ['a/1', 'a/2', 'b/1']
          .map((path) => [path, get(database, path, after)?.updateTime, get(database, path, at)?.updateTime])
          .filter(([, before, now]) => before !== now);
        assert.deepEqual(found, expected);
        database.close();
      },
    ),
    100,
  ));

test('database: listeners get each commit in order, with documents before and after', async (t) => {
  const database = makeDatabase(t);
  const heard: [Micros, readonly DocumentChange[]][] = [];
  const stop = database.subscribe((time, changes) => heard.push([time, changes]));
  const first = await commit(database, set('c/a', n(1)), set('c/b', n(2)));
  const second = await commit(database, set('c/a', n(3)), remove('c/b'), remove('c/none'));
  await commit(database, set('c/a', n(3)));
  stop();
  await commit(database, set('c/a', n(4)));
  assert.deepEqual(
    heard.map(([time, changes]) => [
      time,
      changes.map((c) => [c.path, c.before && fieldsOf(c.before.bytes), c.after && fieldsOf(c.after.bytes)]),
    ]),
    [
      [
        first.commitTime,
        [
          ['c/a', undefined, n(1)],
          ['c/b', undefined, n(2)],
        ],
      ],
      [
        second.commitTime,
        [
          ['c/a', n(1), n(3)],
          ['c/b', n(2), undefined],
        ],
      ],
    ],
  );
});

test('database: unreadable versions are collected by commits and by sweeping', async (t) => {
  const clock = makeClock();
  const database = makeDatabase(t, { clock });
  const pad = { pad: { stringValue: 'x'.repeat(10_000) } };
  for (let round = 0; round < 50; round++) {
    for (let i = 0; i < 20; i++) await commit(database, set(`c/${i}`, { ...n(round), ...pad }));
    clock.now += hour;
  }
  // Fifty rounds of 200 kB were written; one or two rounds can still be read.
  assert.ok(database.liveBytes < 3 * 20 * 10_200, String(database.liveBytes));
  await commit(database, ...Array.from({ length: 20 }, (_, i) => remove(`c/${i}`)));
  assert.equal(database.size, 0);
  clock.now += 2 * hour;
  database.sweep();
  assert.equal(database.liveBytes, 0);
});

test('databases: a database is created on first use and isolated from others', async (t) => {
  const databases = openDatabases();
  t.onTestFinished(() => databases.close());
  const a = databases.open({ projectId: 'a', databaseId: '(default)' });
  const b = databases.open({ projectId: 'a', databaseId: 'other' });
  assert.equal(databases.open({ projectId: 'a', databaseId: '(default)' }), a);
  assert.notEqual(a, b);
  assert.deepEqual(
    databases.list().map(({ name }) => name),
    ['projects/a/databases/(default)', 'projects/a/databases/other'],
  );
});

test('databases: an unknown or deleted database is not found, also after a restart', (t) => {
  const dir = makeFolder(t);
  const name = { projectId: 'pr', databaseId: 'gone' };
  const missing = {
    code: 'NOT_FOUND',
    message:
      'The database gone does not exist for project pr Please visit https://console.cloud.google.com/datastore/setup?project=pr to add a Cloud Datastore or Cloud Firestore database. ',
  };
  const strict = openDatabases({ createOnUse: false });
  assert.throws(() => strict.open(name), missing);
  const first = openDatabases({ dir });
  first.open(name);
  first.delete(name);
  assert.throws(() => first.open(name), missing);
  first.close();
  const second = openDatabases({ dir });
  t.onTestFinished(() => second.close());
  assert.throws(() => second.open(name), missing);
  assert.equal(second.create(name).size, 0);
  assert.throws(() => second.create(name), { code: 'ALREADY_EXISTS' });
});
