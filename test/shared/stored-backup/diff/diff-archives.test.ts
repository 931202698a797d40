/** A comparison lists all changes, and only changes, page by page. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { beforeEach, test } from 'vitest';
import { compareTextNames } from '../../../../shared/firestore/index.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import type { DiffRequest } from '../../../../shared/stored-backup/diff/compare-backup.ts';
import { type BackupRecord, compareBackup } from '../../../../shared/stored-backup/index.ts';
import { seed } from '../../../harness/builders/reported-seed.ts';
import { createArchiveEnv, type Fields } from '../../../harness/env/archive-env.ts';
import { awkward } from '../../../harness/firestore/firestore-server.ts';

const t = await createArchiveEnv();

beforeEach(() => t.reset());

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const actor = { type: 'user', id: newId('user'), email: 'ada@example.com' } as const;
const origin = { ip: null, userAgent: null, requestId: 'r' };

type Page = Awaited<ReturnType<typeof compareBackup>>;

const callOf = (limit = 50, next?: string) => ({
  ...{ tenant: t.tenant, actor, origin, role: 'member' as DiffRequest['role'], now: new Date() },
  page: { limit, after: next },
});
const ask = (
  backup: BackupRecord,
  {
    against,
    limit = 50,
    next,
  }: { readonly against: string; readonly limit?: number | undefined; readonly next?: string | undefined },
): Promise<Page> => compareBackup(callOf(limit, next), { backup, against, deps: t.deps });

/** All pages; their totals must agree. */
const diff = async (backup: BackupRecord, against: string, limit = 50) => {
  const changes: string[] = [];
  let page = await ask(backup, { against, limit });
  let pages = 1;
  changes.push(...page.data.changes.map(({ path, change }) => `${change} ${path}`));
  for (; page.next !== undefined; pages++) {
    page = await ask(backup, { against, limit, next: page.next });
    ok(page.data.changes.length <= limit);
    changes.push(...page.data.changes.map(({ path, change }) => `${change} ${path}`));
  }
  ok(page.data.complete);
  return { changes, counts: page.data.counts, pages, cost: page.data.cost };
};

type State = Readonly<Record<string, string>>;
const stateOf = (paths: readonly string[], texts: readonly string[]): State =>
  Object.fromEntries(paths.map((path, n) => [path, texts[n % texts.length]!]));

/** Brings the source from one state into another. */
const become = async (was: State, now: State, touched: readonly string[] = []): Promise<void> =>
  t.put({
    ...Object.fromEntries(
      Object.keys(was)
        .filter((path) => !(path in now))
        .map((path) => [path, undefined]),
    ),
    ...Object.fromEntries(
      Object.entries(now)
        .filter(([path, value]) => was[path] !== value || touched.includes(path))
        .map(([path, value]) => [path, text(value)]),
    ),
  });

const expected = (from: State, to: State) => {
  const paths = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort(compareTextNames);
  const changes = paths.flatMap((path) =>
    from[path] === to[path] ? [] : [`${path in from ? (path in to ? 'changed' : 'removed') : 'added'} ${path}`],
  );
  const count = (change: string): number => changes.filter((one) => one.startsWith(change)).length;
  const counts = { added: count('added'), changed: count('changed'), removed: count('removed') };
  return { changes, counts: { ...counts, unchanged: paths.length - changes.length } };
};

const states = fc.tuple(
  fc.subarray([...awkward]).map((paths) => stateOf(paths, ['x', 'y'])),
  fc.subarray([...awkward]).map((paths) => stateOf(paths, ['y', 'x', 'x'])),
  fc.subarray([...awkward]),
  fc.integer({ min: 1, max: 7 }),
);

test('diff: any two states yield exactly their difference, between backups and with the live database', async (context) => {
  await fc.assert(
    fc.asyncProperty(states, async ([earlier, later, touched, limit]) => {
      t.reset();
      await become({}, earlier);
      const first = await t.takeBackup();
      await become(earlier, later, touched);
      const second = await t.takeBackup();
      const forwards = expected(earlier, later);
      for (const { changes, counts } of [await diff(second, first.id, limit), await diff(first, 'live', limit)])
        deepEqual({ changes, counts }, forwards);
      const backwards = await diff(first, second.id, limit);
      deepEqual({ changes: backwards.changes, counts: backwards.counts }, expected(later, earlier));
      const { counts, changes } = await diff(second, 'live', limit);
      deepEqual([changes, counts.unchanged], [[], Object.keys(later).length]);
    }),
    { ...seed(context), numRuns: 8 },
  );
});

test('diff: the first page has the total counts, and no empty page follows', async () => {
  const paths = Array.from({ length: 130 }, (_, n) => `a/${String(n).padStart(3, '0')}`);
  await become({}, stateOf(paths, ['x']));
  const first = await t.takeBackup();
  await become(stateOf(paths, ['x']), stateOf(paths.slice(0, 100), ['y']));
  const second = await t.takeBackup();
  const page = await ask(second, { against: first.id, limit: 100 });
  deepEqual([page.data.complete, page.data.counts], [true, { added: 0, changed: 100, removed: 30, unchanged: 0 }]);
  equal((await diff(second, first.id, 65)).pages, 2);
  equal((await diff(second, first.id, 64)).pages, 3);
});

test('diff: only the common scope is compared', async () => {
  const state = stateOf(['a/1', 'b/1', 'b/1/c/1', 'd/1'], ['x']);
  await become({}, state);
  const all = await t.takeBackup();
  const some = await t.takeBackup({ collections: ['a', 'b'], excludeCollections: ['b/1/c'] });
  const nothing = { added: 0, changed: 0, removed: 0, unchanged: 2 };
  deepEqual((await diff(some, all.id)).counts, nothing);
  deepEqual((await diff(all, some.id)).counts, nothing);
  const live = await diff(some, 'live');
  deepEqual(live.counts, nothing);
  ok(live.cost!.reads <= 4, JSON.stringify(live.cost));
});

test('diff: users and tombstones do not count as documents', async () => {
  t.users.push({ id: 'u1', json: Buffer.from('{}') });
  await become({}, stateOf(['a/1'], ['x']));
  const backup = await t.takeBackup({ includeAuthUsers: true });
  deepEqual((await diff(backup, 'live')).counts, { added: 0, changed: 0, removed: 0, unchanged: 1 });
});

test('diff: a comparison that takes too long continues on the next page, and its counts grow', async () => {
  const paths = Array.from({ length: 400 }, (_, n) => `a/${String(n).padStart(3, '0')}`);
  await become({}, stateOf(paths, ['x']));
  const first = await t.takeBackup();
  await become(stateOf(paths, ['x']), stateOf([...paths.slice(0, 390), 'z/1'], ['x', 'x', 'x', 'y']));
  const second = await t.takeBackup();
  let asked = 0;
  Object.assign(t.clock, { now: () => new Date(Date.now() + 10_000 * asked++) });
  for (const [backup, against] of [
    [second, first.id],
    [first, 'live'],
  ] as const) {
    const seen: string[] = [];
    let page = await ask(backup, { against, limit: 100 });
    let compared = 0;
    for (let pages = 0; ; pages++) {
      const { added, changed, removed, unchanged } = page.data.counts;
      ok(added + changed + removed + unchanged >= compared, 'the counts grow');
      compared = added + changed + removed + unchanged;
      seen.push(...page.data.changes.map(({ path }) => path));
      if (page.next === undefined) break;
      ok(pages < 100);
      page = await ask(backup, { against, limit: 100, next: page.next });
    }
    ok(page.data.complete);
    deepEqual(page.data.counts, { added: 1, changed: 97, removed: 10, unchanged: 293 });
    equal(new Set(seen).size, 108);
    equal(seen.length, 108);
  }
});

test('diff: a cursor is valid for its own comparison only', async () => {
  await become({}, stateOf(['a/1', 'a/2'], ['x']));
  const first = await t.takeBackup();
  await become({}, stateOf(['a/1', 'a/2', 'b/1'], ['y']));
  const second = await t.takeBackup();
  const { next } = await ask(second, { against: first.id, limit: 1 });
  ok(next);
  await rejects(ask(first, { against: second.id, limit: 1, next }), { code: 'VALIDATION_ERROR' });
  await rejects(ask(second, { against: 'live', limit: 1, next }), { code: 'VALIDATION_ERROR' });
});

test('diff: all pages use one read time of the live database; once that has expired the cursor is refused', async () => {
  await become({}, stateOf(['a/1', 'a/2', 'a/3'], ['x']));
  const backup = await t.takeBackup();
  await become({}, stateOf(['a/1', 'a/2', 'a/3'], ['y']));
  const page = await ask(backup, { against: 'live', limit: 1 });
  await become({}, stateOf(['a/2', 'a/3', 'a/4'], ['x']));
  const second = await ask(backup, { against: 'live', limit: 1, next: page.next });
  deepEqual(second.data.changes, [{ path: 'a/2', change: 'changed' }]);
  t.server.faults.add({
    method: 'RunQuery',
    status: 'FAILED_PRECONDITION',
    message: 'The requested snapshot version is too old.',
  });
  await rejects(
    ask(backup, { against: 'live', limit: 1, next: page.next }),
    (error: { code: string; details: { field: string } }) => {
      deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', 'cursor']);
      return true;
    },
  );
});

test('diff: a comparison with the live database requires role member, with a backup role viewer', async () => {
  await become({}, stateOf(['a/1'], ['x']));
  const backup = await t.takeBackup();
  const as = (role: DiffRequest['role'], against: string) =>
    compareBackup({ ...callOf(), role }, { backup, against, deps: t.deps });
  await rejects(as('viewer', 'live'), (error: { code: string; details: object }) => {
    deepEqual([error.code, error.details], ['PERMISSION_DENIED', { requiredRole: 'member', currentRole: 'viewer' }]);
    return true;
  });
  await as('viewer', backup.id);
  // A service account has scopes instead of a role.
  for (const role of ['member', 'owner', undefined] as const) ok((await as(role, 'live')).data.complete);
});

test('diff: all pages together respect maxReads of the project', async () => {
  const paths = Array.from({ length: 60 }, (_, n) => `a/${String(n).padStart(3, '0')}`);
  await become({}, stateOf(paths, ['x']));
  const backup = await t.takeBackup();
  await become(stateOf(paths, ['x']), stateOf(paths, ['y']));
  const project = t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.projectId))!;
  const allow = (maxReads: number) => t.table.put({ ...project, settings: { ...project.settings, maxReads } });
  const refused = (error: { code: string; details: { maxReads: number; reads: number } }) => {
    equal(error.code, 'CONFLICT');
    ok(error.details.reads >= error.details.maxReads, JSON.stringify(error.details));
    return true;
  };
  allow(10);
  await rejects(ask(backup, { against: 'live' }), refused);
  allow(70);
  const page = await ask(backup, { against: 'live', limit: 10 });
  ok(page.data.cost!.reads <= 70 && page.next !== undefined);
  await rejects(diff(backup, 'live', 10), refused);
  allow(1_000);
  equal((await diff(backup, 'live', 30)).changes.length, 60);
});

test('diff: a source that denies access marks its project', async () => {
  await become({}, stateOf(['a/1'], ['x']));
  const backup = await t.takeBackup();
  t.server.faults.add({
    method: 'BatchGetDocuments',
    status: 'PERMISSION_DENIED',
    message: 'Missing or insufficient permissions.',
  });
  await rejects(ask(backup, { against: 'live' }), { code: 'SOURCE_AUTH_ERROR' });
  equal(t.table.get<{ status: string }>(projectKey.project(t.tenant, t.projectId))!.status, 'unauthorized');
  t.server.faults.clear();
});

test('diff: backups that cannot be compared are refused', async () => {
  await become({}, stateOf(['a/1'], ['x']));
  const backup = await t.takeBackup();
  const other = await t.takeBackup();
  await rejects(ask(backup, { against: newId('backup') }), { code: 'BACKUP_NOT_FOUND' });
  t.table.put({ ...other, projectId: newId('project') });
  await rejects(ask(backup, { against: other.id }), (error: { code: string; details: { field: string } }) => {
    deepEqual([error.code, error.details.field], ['VALIDATION_ERROR', 'against']);
    return true;
  });
  t.table.put({ ...other, status: 'running' });
  await rejects(ask(backup, { against: other.id }), { code: 'CONFLICT' });
  t.table.put({ ...other, status: 'deleted' });
  await rejects(ask(backup, { against: other.id }), { code: 'BACKUP_NOT_FOUND' });
  await rejects(ask({ ...backup, status: 'failed' }, { against: 'live' }), { code: 'CONFLICT' });
  const { change } = await ask(backup, { against: backup.id });
  deepEqual(change.audit[0]!.details, { projectId: t.projectId, against: backup.id });
});
