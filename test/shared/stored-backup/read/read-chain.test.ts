/** Everything that reads a backup reads any link of a chain, with records in the folders and under the keys of all links. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { commit, after as later, newId } from '../../../../shared/platform/index.ts';
import {
  type BackupRecord,
  backupKey,
  browseBackup,
  compareBackup,
  startVerification,
  verifyBackup,
} from '../../../../shared/stored-backup/index.ts';
import { createArchiveEnv } from '../../../harness/env/archive-env.ts';
import { type Link, takeChain, usualSteps } from '../../../harness/env/chain-env.ts';

const t = await createArchiveEnv();

let links: readonly Link[];

beforeAll(async () => {
  t.reset();
  links = await takeChain(t, usualSteps());
  deepEqual(
    links.map(({ backup: { status, type, chainLength } }) => [status, type, chainLength]),
    [
      ['completed', 'full', 0],
      ['completed', 'incremental', 1],
      ['completed', 'incremental', 2],
      ['completed', 'incremental', 3],
    ],
  );
});

const list = async (backup: BackupRecord, path: string, limit = 7) => {
  const entries = [];
  let next: string | undefined;
  do {
    const page = await browseBackup(t.tenant, {
      backup,
      query: { path, showMissing: 'false' },
      page: { limit, after: next },
      deps: t.deps,
    });
    entries.push(...page.entries);
    next = page.next;
  } while (next !== undefined);
  return entries;
};

test('chain: browsing a link shows the contents of the source at its time, page by page', async () => {
  for (const { backup, state } of links) {
    const paths = Object.keys(state);
    const roots = [...new Set(paths.map((path) => path.split('/')[0]!))].sort();
    deepEqual(
      (await list(backup, '')).map((entry) => [entry.path, 'documents' in entry ? entry.documents : undefined]),
      roots.map((id) => [id, paths.filter((path) => path.startsWith(`${id}/`) && path.split('/').length === 2).length]),
    );
    for (const id of roots) {
      const shown = (await list(backup, id)).map(({ path, fields }) => [
        path,
        (fields!.text as { stringValue: string }).stringValue,
      ]);
      const expected = Object.entries(state).filter(([path]) => path.startsWith(`${id}/`) && path.split('/').length === 2);
      deepEqual(Object.fromEntries(shown), Object.fromEntries(expected));
    }
  }
  // Tombstones are not listed.
  await rejects(list(links[1]!.backup, 'gone'), { code: 'NOT_FOUND' });
  await rejects(list(links[2]!.backup, 'c/8'), { code: 'NOT_FOUND' });
});

const compare = async (backup: BackupRecord, against: string) => {
  const actor = { type: 'user', id: newId('user'), email: 'ada@example.com' } as const;
  const call = {
    tenant: t.tenant,
    actor,
    origin: { ip: null, userAgent: null, requestId: 'r' },
    role: 'member',
    now: new Date(),
  } as const;
  const { data } = await compareBackup({ ...call, page: { limit: 100, after: undefined } }, { backup, against, deps: t.deps });
  return data;
};

test('chain: any two links can be compared, and each with the live database', async () => {
  await t.put({ 'c/1': undefined });
  const { 'c/1': _, ...live } = links.at(-1)!.state;
  const changesOf = (from: Record<string, string>, to: Record<string, string>) =>
    [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((path) => from[path] !== to[path]).sort();
  for (const here of links) {
    for (const against of links) {
      const { changes, counts } = await compare(here.backup, against.backup.id);
      deepEqual(changes.map(({ path }) => path).sort(), changesOf(against.state, here.state));
      equal(counts.unchanged + counts.changed + counts.added, Object.keys(here.state).length);
    }
    deepEqual((await compare(here.backup, 'live')).changes.map(({ path }) => path).sort(), changesOf(here.state, live));
  }
});

type Depth = 'structure' | 'sample' | 'full';
const verify = async ({ id }: BackupRecord, depth: Depth, stepMs = 600_000) => {
  await commit(startVerification(t.tenant, { backup: t.backupOf(id), depth, now: t.clock.now() }).change.writes);
  let position: Awaited<ReturnType<typeof verifyBackup>> | null = null;
  let steps = 0;
  do {
    position =
      (await verifyBackup(t.tenant, { backupId: id, position, deadline: later(t.clock.now(), stepMs / 1_000), deps: t.deps })) ??
      null;
    steps += 1;
  } while (position);
  const { status, findings } = t.backupOf(id).verification!;
  return { status, found: findings.map(({ object, problem }) => `${problem} ${object}`), steps };
};

test('chain: every link passes a verification of every depth, in one run or several', async () => {
  for (const { backup } of links)
    for (const depth of ['structure', 'sample', 'full'] as const) deepEqual((await verify(backup, depth)).found, [], depth);
  // Each reading of the clock takes a millisecond: a run of three milliseconds checks an object or two.
  let now = Date.now();
  Object.assign(t.clock, { now: () => new Date(now++) });
  const { status, steps } = await verify(links.at(-1)!.backup, 'full', 3);
  equal(status, 'passed');
  ok(steps > 1);
});

test('chain: damage in a backup is found by every backup that depends on it, with the object named', async () => {
  const [full, , , last] = links.map(({ backup }) => backup) as [BackupRecord, BackupRecord, BackupRecord, BackupRecord];
  const chunk = [...t.storeOf(full).objects.keys()].find((name) => name.startsWith('chunk/'))!;
  const bytes = t.storeOf(full).objects.get(chunk)!;
  bytes[bytes.length >> 1]! ^= 1;
  deepEqual((await verify(last, 'structure')).found, []);
  for (const depth of ['sample', 'full'] as const) deepEqual((await verify(last, depth)).found, [`corrupt ${full.id}/${chunk}`]);
  t.storeOf(full).objects.delete(chunk);
  for (const depth of ['structure', 'sample', 'full'] as const)
    deepEqual((await verify(last, depth)).found, [`missing ${full.id}/${chunk}`], depth);
  bytes[bytes.length >> 1]! ^= 1;
  t.storeOf(full).objects.set(chunk, bytes);
});

test('chain: a link whose dependency is missing names it', async () => {
  const [full, , , last] = links.map(({ backup }) => backup) as [BackupRecord, BackupRecord, BackupRecord, BackupRecord];
  const { pk, sk } = backupKey.archive(t.tenant, full.id, full.id);
  t.table.items.delete(`${pk}\n${sk}`);
  const { status, found } = await verify(last, 'structure');
  equal(status, 'failed');
  const [objects, keys] = [found.filter((one) => !one.endsWith('/key')), found.filter((one) => one.endsWith('/key'))];
  ok(objects.length > 0 && objects.every((one) => one.startsWith(`missing ${full.id}/`)));
  deepEqual(keys, [`unreadable ${full.id}/key`]);
  await rejects(list(last, 'a'), {
    code: 'STORAGE_ERROR',
    message: new RegExp(`${full.id}, which this one depends on, does not exist`),
  });
});
