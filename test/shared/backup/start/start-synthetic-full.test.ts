/** A long chain gets a full backup of what its last link holds, without a read of the source; then the chain can go. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import {
  type BackupRecord,
  deleteBackup,
  findDependentBackup,
  openArchive,
  startSyntheticFull,
} from '../../../../shared/backup/index.ts';
import { planSyntheticFull } from '../../../../shared/backup/steps/plan-synthetic-full.ts';
import type { MemoryStore, ObjectStore, Upload } from '../../../../shared/destination/index.ts';
import { commit, after as later } from '../../../../shared/platform/index.ts';
import { jobLock } from '../../../../shared/project/index.ts';
import { newReadingWorld, put, type ReadingWorld, recordOf, storeOf } from '../../../harness/env/archive-env.ts';
import { eventsOf, projectId, runFrom, runWorkflow, server, start, table, tenant } from '../../../harness/env/backup-env.ts';
import { takeChain, takeLink, usualSteps } from '../../../harness/env/chain-env.ts';
import { Crash, CrashInjector, crashPoints } from '../../../harness/faults/crash-injector.ts';

process.env.DATA_KEY_ID = 'key';
afterAll(() => server.stop());

const users = [1, 2].map((n) => ({ id: `user${n}`, json: Buffer.from(`{"localId":"user${n}"}`) }));

/** A chain with users in it; from then on nobody reaches the source. */
const chained = async (steps = usualSteps()) => {
  const world = newReadingWorld();
  world.users.push(...users);
  const links = await takeChain(world, steps, {
    includeAuthUsers: true,
    trigger: 'scheduled',
    scheduleId: 'sch_1',
    retention: 7,
  });
  const openSource = world.engine.openSource;
  const closed: ReadingWorld['engine']['openSource'] = () => {
    throw new Error('the source was opened');
  };
  Object.assign(world.engine, { openSource: closed });
  return { world, links, last: links.at(-1)!.backup, reopen: () => Object.assign(world.engine, { openSource }) };
};

const sent: string[] = [];
const ask = async (world: ReadingWorld, { id }: BackupRecord, now = world.engine.clock.now()): Promise<void> =>
  startSyntheticFull(tenant, id, now, async (_, task, options) => {
    sent.push(`${options?.delaySeconds} ${task.kind}`);
  });
const syntheses = (): readonly BackupRecord[] =>
  (table.find(`ORG#${tenant.organizationId}`, 'BACKUP#') as readonly BackupRecord[]).filter(
    (one) => one.synthesizedFrom !== undefined,
  );

/** Everything that a backup holds, as bytes; what is only said to be gone is not. */
const holdings = async (world: ReadingWorld, backup: BackupRecord) => {
  const open = await openArchive(tenant, backup, undefined, world.engine);
  const found: [string, string][] = [];
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) !== recordKind.tombstone) found.push([leaf.name(slot).toString(), leaf.content(slot).toString('hex')]);
  return { found, manifest: open.archive.manifest };
};

const isSame = async (world: ReadingWorld, made: BackupRecord, of: BackupRecord): Promise<void> => {
  const [a, b] = await Promise.all([holdings(world, made), holdings(world, of)]);
  deepEqual(a.found, b.found);
  deepEqual(
    [a.manifest.parent, a.manifest.counts.tombstones, a.manifest.source, a.manifest.readTime],
    [null, 0, b.manifest.source, b.manifest.readTime],
  );
  ok(a.manifest.objects.every(({ backup }) => backup === made.id));
};

test('synthetic full: it equals the last link byte for byte, at its read time, without reading the source', async () => {
  const { world, last } = await chained();
  const before = eventsOf().length;
  await ask(world, last);
  const [begun] = syntheses();
  await runWorkflow(world, begun!.id);
  const made = recordOf(begun!.id);
  equal(made.status, 'completed', JSON.stringify(made.error));
  await isSame(world, made, last);
  const kept = ({
    collections,
    trigger,
    scheduleId,
    retentionDays,
    readTime,
    documentCount,
    originalSize,
    authUsers,
    collectionCounts,
    countVerified,
  }: BackupRecord) => ({
    collections,
    trigger,
    scheduleId,
    retentionDays,
    readTime,
    documentCount,
    originalSize,
    authUsers,
    collectionCounts,
    countVerified,
  });
  deepEqual(kept(made), kept(last));
  deepEqual(
    [made.type, made.chainLength, made.parentBackupId, made.reads, made.needs, made.synthesizedFrom],
    ['full', 0, null, 0, undefined, last.id],
  );
  ok(eventsOf().length > before);
  // It is no run of its schedule.
  const outcomes = table.find('ORG#', 'TASK#').concat(table.find('TASK#'));
  ok(!outcomes.some((task) => JSON.stringify(task).includes('schedule-outcome') && JSON.stringify(task).includes(made.id)));
});

test('synthetic full: concurrent tasks make one; later links and full backups make it unnecessary', async () => {
  const { world, links, last, reopen } = await chained();
  sent.length = 0;
  await ask(world, links[1]!.backup);
  await ask(world, links[0]!.backup);
  deepEqual(syntheses(), []);
  await Promise.all([ask(world, last), ask(world, last), ask(world, last)]);
  equal(syntheses().length, 1);
  await runWorkflow(world, syntheses()[0]!.id);
  await ask(world, last);
  equal(syntheses().length, 1);
  reopen();
  await put(world, { 'a/5': undefined });
  const next = await takeLink(world, { includeAuthUsers: true });
  await ask(world, last);
  deepEqual([syntheses().length, next.type], [1, 'incremental']);
});

test('synthetic full: while the project has a job the task is postponed, for at most a day', async () => {
  const { world, last } = await chained();
  const now = world.engine.clock.now();
  await commit([jobLock(tenant, projectId, { jobId: 'rst_1', kind: 'restore' }, now)]);
  sent.length = 0;
  await ask(world, last);
  deepEqual(sent, ['60 synthesize-full']);
  await ask(world, last, later(now, 25 * 3_600));
  deepEqual([sent.length, syntheses().length], [1, 0]);
});

test('synthetic full: the next link depends on it alone, and the old chain can be deleted', async () => {
  const { world, links, last, reopen } = await chained();
  await ask(world, last);
  const made = syntheses()[0]!;
  const refusal = async (backup: BackupRecord) =>
    deleteBackup(tenant, recordOf(backup.id), await findDependentBackup(tenant, recordOf(backup.id)), world.engine.clock.now());
  // While it is made, all that it is made of stays.
  for (const { backup } of links) await rejects(refusal(backup), { code: 'CONFLICT' });
  await runWorkflow(world, made.id);
  reopen();
  await put(world, { 'a/1': undefined, 'c/1': { text: { stringValue: 'newest' } } });
  const next = await takeLink(world, { includeAuthUsers: true });
  deepEqual([next.type, next.parentBackupId, next.chainLength, next.needs], ['incremental', made.id, 1, [made.id]]);
  for (const { backup } of links.toReversed()) await commit((await refusal(backup)).writes);
  for (const { backup } of links) (world.stores as Map<string, MemoryStore>).delete(backup.path);
  const { found } = await holdings(world, next);
  equal(found.length, next.documentCount + users.length);
  await rejects(refusal(made), { code: 'CONFLICT' });
});

test('synthetic full: ranges of any size contain every document once', async () => {
  const { world, last } = await chained();
  const open = await openArchive(tenant, last, undefined, world.engine);
  for (const records of [1, 5, 1_000]) {
    const { ranges, documents, reads } = await planSyntheticFull(open.archive, { rangesMax: 500, records });
    deepEqual([documents, reads], [last.documentCount, 0]);
    deepEqual(
      ranges.map(({ from }) => from),
      [undefined, ...ranges.slice(0, -1).map(({ to }) => to)],
    );
    ok(records === 1_000 ? ranges.length === 1 : ranges.length > 3);
  }
});

test('synthetic full: a damaged chain fails it with the object named, and nothing stays', async () => {
  const { world, links, last } = await chained();
  const full = storeOf(world, links[0]!.backup);
  const chunk = [...full.objects.keys()].find((name) => name.startsWith('chunk/') && full.objects.get(name)!.length > 400)!;
  full.objects.get(chunk)![200]! ^= 1;
  for (const name of full.objects.keys())
    if (name.startsWith('chunk/')) full.objects.get(name)![full.objects.get(name)!.length >> 1]! ^= 1;
  await ask(world, last);
  const made = syntheses()[0]!;
  await runWorkflow(world, made.id);
  const { status, error } = recordOf(made.id);
  deepEqual([status, error?.code], ['failed', 'CHUNK_CORRUPT']);
  ok(error?.message.includes(last.id));
  equal(storeOf(world, made).objects.size, 0);
  // From now on nothing is built upon it.
  ok(recordOf(last.id).damagedDepth !== undefined);
  await ask(world, last);
  equal(syntheses().length, 1);
});

/** A store whose effects may be a machine's last. */
const mortalStore = (mortal: CrashInjector, inner: ObjectStore): ObjectStore => {
  const upload = (one: Upload): Upload => ({
    write: (pieces) => mortal.effect(() => one.write(pieces)),
    finish: () => mortal.effect(() => one.finish()),
    abort: () => mortal.alive(() => one.abort()),
  });
  return {
    put: (...all) => mortal.effect(() => inner.put(...all)),
    upload: (...all) => upload(inner.upload(...all)),
    get: (...all) => mortal.alive(() => inner.get(...all)),
    head: (...all) => mortal.alive(() => inner.head(...all)),
    list: (prefix) => inner.list(prefix),
    remove: (...all) => mortal.effect(() => inner.remove(...all)),
    abortUnfinishedUploads: (...all) => mortal.effect(() => inner.abortUnfinishedUploads(...all)),
    close: () => inner.close(),
  };
};

test('synthetic full: after a crash at any effect the next run completes exactly one', async () => {
  const { world, last } = await chained([{ 'a/1': 'first', 'b/1': 'first' }, { 'a/1': 'changed' }]);
  const saved = new Map([...table.items].map(([key, item]) => [key, structuredClone(item)]));
  const folders = new Set(world.stores.keys());
  const again = (): void => {
    table.onWrite = () => undefined;
    table.onRead = () => undefined;
    table.items.clear();
    for (const [key, item] of saved) table.items.set(key, structuredClone(item));
    for (const folder of world.stores.keys()) if (!folders.has(folder)) (world.stores as Map<string, MemoryStore>).delete(folder);
    world.throughReading = (store) => store;
  };
  const attach = (mortal: CrashInjector): void => {
    table.onWrite = (when) => mortal.atWrite(when);
    table.onRead = () => mortal.atRead();
    world.throughReading = (store) => mortalStore(mortal, store);
  };
  const run = async (mortal: CrashInjector): Promise<void> => {
    attach(mortal);
    const position = start();
    for (let lives = 0; lives < 4; lives++) {
      try {
        await ask(world, last);
        const [made] = syntheses();
        await runFrom(world, made!.id, position);
        attach(new CrashInjector());
        return;
      } catch (error) {
        if (!mortal.isDead && !(error instanceof Crash)) throw error;
        attach(new CrashInjector());
      }
    }
  };
  const { found: expected } = await holdings(world, last);
  const counting = new CrashInjector();
  await run(counting);
  ok(counting.effects > 8, String(counting.effects));
  for (const { at, when } of crashPoints(counting.effects)) {
    again();
    await run(new CrashInjector(at, when));
    const made = syntheses();
    deepEqual(
      made.map(({ status }) => status),
      ['completed'],
      `${when} ${at}`,
    );
    const names = [...storeOf(world, made[0]!).objects.keys()].sort();
    const { manifest, found } = await holdings(world, made[0]!);
    deepEqual(found, expected, `${when} ${at}`);
    deepEqual(names, ['key', 'manifest', ...manifest.objects.map(({ name }) => name)].sort(), `${when} ${at}`);
  }
  again();
});
