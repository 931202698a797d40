/** Whatever reads a backup reads any link of a chain: it finds its records in the folders and under the keys of all of them. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import {
  type BackupRecord,
  backupKey,
  browseBackup,
  compareBackup,
  startVerification,
  verifyBackup,
} from '../../../../shared/backup/index.ts';
import { commit, after as later, newId } from '../../../../shared/platform/index.ts';
import { newReadingWorld, put, type ReadingWorld, recordOf, storeOf } from '../../../harness/env/archive-env.ts';
import { server, table, tenant } from '../../../harness/env/backup-env.ts';
import { type Link, takeChain, usualSteps } from '../../../harness/env/chain-env.ts';

afterAll(() => server.stop());

let world: ReadingWorld;
let links: readonly Link[];

beforeAll(async () => {
  world = newReadingWorld();
  links = await takeChain(world, usualSteps());
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
    const page = await browseBackup(tenant, backup, { path, showMissing: 'false' }, { limit, after: next }, world.engine);
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
  // That it is gone is no content of a backup.
  await rejects(list(links[1]!.backup, 'gone'), { code: 'NOT_FOUND' });
  await rejects(list(links[2]!.backup, 'c/8'), { code: 'NOT_FOUND' });
});

const compare = async (backup: BackupRecord, against: string) => {
  const actor = { type: 'user', id: newId('user'), email: 'ada@example.com' } as const;
  const call = { tenant, actor, origin: { ip: null, userAgent: null, requestId: 'r' }, role: 'member', now: new Date() } as const;
  const { data } = await compareBackup({ ...call, page: { limit: 100, after: undefined } }, backup, against, world.engine);
  return data;
};

test('chain: any two links can be compared, and each with the live database', async () => {
  await put(world, { 'c/1': undefined });
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
  await commit(startVerification(tenant, recordOf(id), depth, world.engine.clock.now()).change.writes);
  let position: Awaited<ReturnType<typeof verifyBackup>> | null = null;
  let steps = 0;
  do {
    position = (await verifyBackup(tenant, id, position, later(world.engine.clock.now(), stepMs / 1_000), world.engine)) ?? null;
    steps += 1;
  } while (position);
  const { status, findings } = recordOf(id).verification!;
  return { status, found: findings.map(({ object, problem }) => `${problem} ${object}`), steps };
};

test('chain: every link passes a verification of every depth, in one run or several', async () => {
  for (const { backup } of links)
    for (const depth of ['structure', 'sample', 'full'] as const) deepEqual((await verify(backup, depth)).found, [], depth);
  // Each look at the clock takes a millisecond: a run of three checks an object or two.
  let now = Date.now();
  Object.assign(world.engine.clock, { now: () => new Date(now++) });
  const { status, steps } = await verify(links.at(-1)!.backup, 'full', 3);
  equal(status, 'passed');
  ok(steps > 1);
});

test('chain: damage in a backup is found by every backup that depends on it, with the object named', async () => {
  const [full, , , last] = links.map(({ backup }) => backup) as [BackupRecord, BackupRecord, BackupRecord, BackupRecord];
  const chunk = [...storeOf(world, full).objects.keys()].find((name) => name.startsWith('chunk/'))!;
  const bytes = storeOf(world, full).objects.get(chunk)!;
  bytes[bytes.length >> 1]! ^= 1;
  deepEqual((await verify(last, 'structure')).found, []);
  for (const depth of ['sample', 'full'] as const) deepEqual((await verify(last, depth)).found, [`corrupt ${full.id}/${chunk}`]);
  storeOf(world, full).objects.delete(chunk);
  for (const depth of ['structure', 'sample', 'full'] as const)
    deepEqual((await verify(last, depth)).found, [`missing ${full.id}/${chunk}`], depth);
  bytes[bytes.length >> 1]! ^= 1;
  storeOf(world, full).objects.set(chunk, bytes);
});

test('chain: a link whose dependency is missing names it', async () => {
  const [full, , , last] = links.map(({ backup }) => backup) as [BackupRecord, BackupRecord, BackupRecord, BackupRecord];
  const { pk, sk } = backupKey.archive(tenant, full.id, full.id);
  table.items.delete(`${pk}\n${sk}`);
  const { status, found } = await verify(last, 'structure');
  equal(status, 'failed');
  ok(found.every((one) => one.startsWith(`missing ${full.id}/`)));
  await rejects(list(last, 'a'), {
    code: 'STORAGE_ERROR',
    message: new RegExp(`${full.id}, which this one depends on, does not exist`),
  });
});
