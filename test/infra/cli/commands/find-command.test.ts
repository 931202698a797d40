/** bms find: searches page after page of older backups. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { openScriptedService, runProgram } from '../../../harness/env/scripted-service.ts';
import { type Stops, stopAll, tempDir } from '../../../harness/store/store-stands.ts';

const stops: Stops = [];
afterAll(() => stopAll(stops));

const projectId = `prj_${'0'.repeat(26)}`;
const backupId = (n: number): string => `bkp_${String(n).padStart(26, '0')}`;
const dayOf = (n: number): string => `2026-10-${String(30 - n).padStart(2, '0')}T00:00:00.000Z`;
const now = '2026-11-01T00:00:00.000Z';

/** A project with one backup per page, the newest first; the document is in those from `lostBefore` on. */
const openFind = async (pages: number, lostBefore: number, isLive = false) => {
  const service = await openScriptedService(stops, ({ path, query: { cursor = '0' } }) => {
    if (path === `/projects/${projectId}`) return { data: { id: projectId } };
    if (path !== '/documents/locate') return undefined;
    const n = Number(cursor);
    const exists = n >= lostBefore;
    const state = { exists, erased: false, updateTime: null, contentHash: null, document: null, message: null };
    const backup = { ...state, id: backupId(n), readTime: dayOf(n), createdAt: dayOf(n), changed: null, reason: null };
    return {
      data: {
        projectId,
        projectName: 'Shop',
        path: 'users/ada',
        candidates: [],
        notSearched: n === 1 ? [{ place: 'backup', backupId: backupId(1), message: 'The bucket is gone' }] : [],
        live: { ...state, exists: isLive, checkedAt: now, reason: null },
        backups: [backup],
        examined: 1,
        moments: null,
        summary: {
          found: exists || isLive,
          lastSeen: exists ? dayOf(n) : null,
          lastChangedAt: null,
          vanishedBetween: exists && !isLive ? { from: dayOf(n), to: now } : null,
        },
        recommended: exists && !isLive ? { backupId: backupId(n), pointInTime: null, contentHash: null } : null,
      },
      nextCursor: n + 1 < pages ? String(n + 1) : null,
    };
  });
  const env = { XDG_CONFIG_HOME: tempDir(stops), BMS_URL: service.url, BMS_API_KEY: 'key' };
  const find = (...args: readonly string[]) => runProgram(['find', 'users/ada', '--project', projectId, ...args], env);
  const calls = () => service.seen.filter(({ path }) => path === '/documents/locate').length;
  return { calls, find };
};

test('bms find: searches older backups until one has the document, and says between which two it vanished', async () => {
  const { calls, find } = await openFind(6, 3);
  const { code, out, err } = await find();
  equal(code, 0, err);
  equal(calls(), 4);
  match(out, /Last seen +2026-10-27 .*\n.*Vanished +between 2026-10-27 \S+ and 2026-10-28 /);
  match(err, /Examined the newest 4 backups; --all examines the older ones, too\nRestore it: bms restore bkp_0+3 /);
  const { path, examined, backups, recommended } = JSON.parse((await find('--json')).out);
  deepEqual([path, examined, backups.length, recommended.backupId], ['users/ada', 4, 4, backupId(3)]);
});

test('bms find: a document that no backup has is not found only after all of them were searched', async () => {
  const { calls, find } = await openFind(6, 99);
  const { code, err } = await find();
  equal(code, 4);
  match(err, /^warning: the id was not looked for in backup bkp_0+1: The bucket is gone\n.*neither live nor in its 6 backups/);
  equal(calls(), 6);
});

test('bms find: a live document needs no older backups, unless --all asks for them', async () => {
  const { calls, find } = await openFind(6, 0, true);
  match((await find()).err, /Examined the newest 1 backup; --all/);
  equal(calls(), 1);
  equal((JSON.parse((await find('--all', '--json')).out) as { examined: number }).examined, 6);
});

test('bms find: a refused path is called what the usage line calls it', async () => {
  const message = 'path: names the collection users. Add the id of a document, such as users/ada';
  const service = await openScriptedService(stops, ({ path }) =>
    path === `/projects/${projectId}`
      ? { data: { id: projectId } }
      : { status: 400, error: { code: 'VALIDATION_ERROR', message, details: { field: 'path', reason: message.slice(6) } } },
  );
  const env = { XDG_CONFIG_HOME: tempDir(stops), BMS_URL: service.url, BMS_API_KEY: 'key' };
  const { code, err } = await runProgram(['find', 'users', '--project', projectId], env);
  equal(code, 2);
  match(err, /<document>: names the collection users/);
});
