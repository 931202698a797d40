/** The backup that a partial restore built stays in the list: whatever reads it later reports what it lacks. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { microsOf, momentOf, shownMoment } from '../../../../shared/pitr/index.ts';
import {
  historyEntry,
  planInRequest,
  planPointInTime,
  readRestoreRequest,
  restoreData,
} from '../../../../shared/restore/index.ts';
import { compareBackup } from '../../../../shared/stored-backup/diff/compare-backup.ts';
import { backupData, browseBackup } from '../../../../shared/stored-backup/index.ts';
import { createPointInTimeEnv } from '../../../harness/env/point-in-time-env.ts';

const t = await createPointInTimeEnv();
process.env.DATA_KEY_ID = 'key';
const text = (stringValue: string) => ({ text: { stringValue } });

const builtPoint = async () => {
  await t.startCaptures({ 'users/a': text('1') });
  t.nextSecond();
  await t.put({ 'users/a/deep/x': text('there') });
  const pointInTime = t.nextSecond();
  t.nextSecond();
  t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000 });
  await t.runCycle().finally(() => t.server.faults.clear());
  const options = { allowPartial: true, mergeMode: 'overwrite' };
  const first = await t.startPointInTimeRestore({ pointInTime, targetProjectId: t.projectId, options } as never);
  const ended = await t.runRestore(first.id);
  equal(ended.status, 'completed');
  return { backupId: ended.backupId, lacks: restoreData(ended).partial! };
};

const ofBackup = (backupId: string, more: object = {}) =>
  ({ projectId: undefined, backupId, targetProjectId: t.projectId, options: { mergeMode: 'overwrite', ...more } }) as never;

test('a backup built for a point in time: its record and later restores, plans and comparisons state what it lacks', async () => {
  const { backupId, lacks } = await builtPoint();
  equal(lacks.complete, false);
  deepEqual(backupData(t.backupOf(backupId)).lacks, lacks);

  const later = await t.startPointInTimeRestore(ofBackup(backupId));
  const ended = await t.runRestore(later.id);
  for (const shown of [restoreData(later), restoreData(ended), historyEntry(ended)]) deepEqual(shown.partial, lacks);

  const { clock } = t;
  const caller = { ...t.caller, origin: { ip: null, userAgent: null, requestId: 'req' }, now: clock.now() };
  const request = await readRestoreRequest(t.tenant, t.bodyOf(ofBackup(backupId)), clock.now());
  deepEqual((await planInRequest(caller, request, t.deps))?.partial, lacks);

  const page = { limit: 10, after: undefined };
  const compared = await compareBackup({ ...caller, page }, { backup: t.backupOf(backupId), against: backupId, deps: t.deps });
  deepEqual(compared.data.lacks, lacks);
});

test('a backup built for a point in time: what it lacks is not browsed as absent', async () => {
  const { backupId } = await builtPoint();
  const browse = (path: string) =>
    browseBackup(t.tenant, {
      backup: t.backupOf(backupId),
      query: { path, showMissing: 'false' },
      page: { limit: 10, after: undefined },
      deps: t.deps,
    });
  equal((await browse('users/a')).entries.length > 0, true);
  await rejects(browse('users/a/deep/x'), (error) => error instanceof ApiError && error.code === 'CONFLICT');
});

test('a moment that is not proven for everything is built for the collections that it is proven for, with all that is proven', async () => {
  await t.startCaptures({ 'users/a': text('1'), 'shops/a': text('1') });
  t.nextSecond();
  await t.put({ 'users/a/deep/x': text('there'), 'users/b': text('2') });
  const pointInTime = t.nextSecond();
  t.nextSecond();
  await t.runCycle();
  const micros = microsOf(pointInTime);
  const [from, to] = [momentOf(micros - 500_000), momentOf(micros + 500_000)];
  t.table.put({ ...t.pitr, gaps: [{ from, to, reason: 'not captured', collections: ['shops'] }] });
  const build = (collections: readonly string[], includeSubcollections: boolean) =>
    t.startPointInTimeRestore({
      pointInTime,
      targetProjectId: undefined,
      collections,
      options: { buildOnly: true, mergeMode: 'overwrite', includeSubcollections },
    } as never);
  const refused = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT';
  await rejects(build(['users', 'shops'], false), refused);
  // Subcollections may be below any document: with them everything has to be proven.
  await rejects(build(['users'], true), refused);
  const started = await build(['users'], false);
  deepEqual([started.buildsOnly, started.collections, started.includeSubcollections], [true, ['*'], true]);
  const ended = await t.runRestore(started.id);
  deepEqual([ended.status, restoreData(ended).partial], ['completed', null]);
  const documents = await t.contentsOf(t.backupOf(ended.backupId));
  for (const path of ['users/a', 'users/a/deep/x', 'users/b']) ok(documents.has(path), path);
});

test('a moment that an audit has marked: dry run and record say what differed, and those of other moments and collections do not', async () => {
  await t.startCaptures({ 'users/a': text('1'), 'shops/a': text('1') });
  const [marked, later] = [t.nextSecond(), t.nextSecond()];
  await t.runCycle();
  const micros = microsOf(marked);
  const period = { documents: 2, collections: ['users'], count: 1 };
  const [from, to] = [momentOf(micros - 500_000), momentOf(micros + 500_000)];
  t.table.put({ ...t.pitr, diverged: [{ from, to, ...period }] });
  const told = { from: shownMoment(microsOf(from)), to: shownMoment(microsOf(to)), documentCount: 2, collections: ['users'] };
  const caller = { ...t.caller, origin: { ip: null, userAgent: null, requestId: 'req' } };
  const asked = async (pointInTime: string, collections?: readonly string[]) => {
    const options = { includeSubcollections: false, mergeMode: 'overwrite' };
    const input = { pointInTime, targetProjectId: t.projectId, ...(collections && { collections }), options };
    const now = t.clock.now();
    const { pointRequest, ...request } = await readRestoreRequest(t.tenant, t.bodyOf(input), now);
    const plan = await planPointInTime({ ...caller, now }, { request, pointRequest: pointRequest!, deps: t.deps });
    const ended = await t.runRestore((await t.startPointInTimeRestore(input)).id);
    equal(ended.status, 'completed');
    return [plan?.diverged, restoreData(ended).diverged];
  };
  const shown = { ...told, collectionCount: 1 };
  deepEqual(await asked(marked), [shown, shown]);
  deepEqual(await asked(marked, ['users']), [shown, shown]);
  deepEqual(await asked(marked, ['shops']), [null, null]);
  deepEqual(await asked(later), [null, null]);
});
