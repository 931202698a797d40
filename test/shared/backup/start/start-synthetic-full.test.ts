/** A long chain gets a full backup with the contents of its last link, without reading the source; then the chain can be deleted. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { startSyntheticFull } from '../../../../shared/backup/index.ts';
import { planSyntheticFull } from '../../../../shared/backup/steps/plan-synthetic-full.ts';
import type { MemoryStore, ObjectStore, Upload } from '../../../../shared/destination/index.ts';
import { commit, after as later } from '../../../../shared/platform/index.ts';
import { jobLock } from '../../../../shared/project/index.ts';
import { type BackupRecord, deleteBackup, findDependentBackup, openArchive } from '../../../../shared/stored-backup/index.ts';
import { chance } from '../../../harness/builders/sample-archive.ts';
import { type ArchiveEnv, createArchiveEnv } from '../../../harness/env/archive-env.ts';
import { firstBackupStep } from '../../../harness/env/backup-env.ts';
import { takeChain, takeLink, usualSteps } from '../../../harness/env/chain-env.ts';
import { runVerification } from '../../../harness/env/run-verification.ts';
import { nameSearchFields, searchIn } from '../../../harness/env/search-fields.ts';
import { Crash, CrashInjector, crashPoints } from '../../../harness/faults/crash-injector.ts';

const t = await createArchiveEnv();

process.env.DATA_KEY_ID = 'key';

const users = [1, 2].map((n) => ({ id: `user${n}`, json: Buffer.from(`{"localId":"user${n}"}`) }));

/** A chain with users; afterwards the source cannot be opened. */
const chained = async (steps = usualSteps()) => {
  t.reset();
  t.users.push(...users);
  const links = await takeChain(t, steps, {
    includeAuthUsers: true,
    trigger: 'scheduled',
    scheduleId: 'sch_1',
    retention: 7,
  });
  const openSource = t.deps.openSource;
  const closed: ArchiveEnv['deps']['openSource'] = () => {
    throw new Error('the source was opened');
  };
  Object.assign(t.deps, { openSource: closed });
  return { links, last: links.at(-1)!.backup, reopen: () => Object.assign(t.deps, { openSource }) };
};

const sent: string[] = [];
const ask = async ({ id }: BackupRecord, now = t.clock.now()): Promise<void> =>
  startSyntheticFull(t.tenant, {
    backupId: id,
    now,
    send: async (_, task, options) => {
      sent.push(`${options?.delaySeconds} ${task.kind}`);
    },
  });
const syntheses = (): readonly BackupRecord[] =>
  (t.table.find(`ORG#${t.tenant.organizationId}`, 'BACKUP#') as readonly BackupRecord[]).filter(
    (one) => one.synthesizedFrom !== undefined,
  );

/** The records of a backup as bytes, without tombstones. */
const holdings = async (backup: BackupRecord) => {
  const open = await openArchive(t.tenant, { backup, deps: t.deps });
  const found: [string, string][] = [];
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) !== recordKind.tombstone) found.push([leaf.name(slot).toString(), leaf.content(slot).toString('hex')]);
  return { found, manifest: open.archive.manifest };
};

const isSame = async (made: BackupRecord, of: BackupRecord): Promise<void> => {
  const [a, b] = await Promise.all([holdings(made), holdings(of)]);
  deepEqual(a.found, b.found);
  deepEqual(
    [a.manifest.parent, a.manifest.counts.tombstones, a.manifest.source, a.manifest.readTime],
    [null, 0, b.manifest.source, b.manifest.readTime],
  );
  ok(a.manifest.objects.every(({ backup }) => backup === made.id));
};

test('synthetic full: it equals the last link byte for byte, at its read time, without reading the source', async () => {
  const { last: link } = await chained();
  const last: BackupRecord = { ...link, unknownCollections: ['nowhere'] };
  t.table.put(last);
  const before = t.events().length;
  await ask(last);
  const [begun] = syntheses();
  await t.runBackup(begun!.id);
  const made = t.backupOf(begun!.id);
  equal(made.status, 'completed', JSON.stringify(made.error));
  await isSame(made, last);
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
    unknownCollections,
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
    unknownCollections,
  });
  deepEqual(kept(made), kept(last));
  deepEqual(
    [made.type, made.chainLength, made.parentBackupId, made.reads, made.needs, made.synthesizedFrom],
    ['full', 0, null, 0, undefined, last.id],
  );
  ok(t.events().length > before);
  // It does not count as a run of the schedule.
  const outcomes = t.table.find('ORG#', 'TASK#').concat(t.table.find('TASK#'));
  ok(!outcomes.some((task) => JSON.stringify(task).includes('schedule-outcome') && JSON.stringify(task).includes(made.id)));
});

test('synthetic full: concurrent tasks make one; later links and full backups make it unnecessary', async () => {
  const { links, last, reopen } = await chained();
  sent.length = 0;
  await ask(links[1]!.backup);
  await ask(links[0]!.backup);
  deepEqual(syntheses(), []);
  await Promise.all([ask(last), ask(last), ask(last)]);
  equal(syntheses().length, 1);
  await t.runBackup(syntheses()[0]!.id);
  await ask(last);
  equal(syntheses().length, 1);
  reopen();
  await t.put({ 'a/5': undefined });
  const next = await takeLink(t, { includeAuthUsers: true });
  await ask(last);
  deepEqual([syntheses().length, next.type], [1, 'incremental']);
});

test('synthetic full: while the project has a job the task is postponed, for at most a day', async () => {
  const { last } = await chained();
  const now = t.clock.now();
  await commit([jobLock(t.tenant, { projectId: t.projectId, job: { jobId: 'rst_1', kind: 'restore' }, now })]);
  sent.length = 0;
  await ask(last);
  deepEqual(sent, ['60 synthesize-full']);
  await ask(last, later(now, 25 * 3_600));
  deepEqual([sent.length, syntheses().length], [1, 0]);
});

test('synthetic full: the next link depends on it alone, and the old chain can be deleted', async () => {
  const { links, last, reopen } = await chained();
  await ask(last);
  const made = syntheses()[0]!;
  const refusal = async (backup: BackupRecord) =>
    deleteBackup(t.tenant, {
      backup: t.backupOf(backup.id),
      child: await findDependentBackup(t.tenant, t.backupOf(backup.id)),
      now: t.clock.now(),
    });
  // Its sources cannot be deleted while it is built.
  for (const { backup } of links) await rejects(refusal(backup), { code: 'CONFLICT' });
  await t.runBackup(made.id);
  reopen();
  await t.put({ 'a/1': undefined, 'c/1': { text: { stringValue: 'newest' } } });
  const next = await takeLink(t, { includeAuthUsers: true });
  deepEqual([next.type, next.parentBackupId, next.chainLength, next.needs], ['incremental', made.id, 1, [made.id]]);
  for (const { backup } of links.toReversed()) await commit((await refusal(backup)).writes);
  for (const { backup } of links) (t.stores as Map<string, MemoryStore>).delete(backup.path);
  const { found } = await holdings(next);
  equal(found.length, next.documentCount + users.length);
  await rejects(refusal(made), { code: 'CONFLICT' });
});

test('synthetic full: ranges of any size contain every document once', async () => {
  const { last } = await chained();
  const open = await openArchive(t.tenant, { backup: last, deps: t.deps });
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
  const { links, last } = await chained();
  const full = t.storeOf(links[0]!.backup);
  const chunk = [...full.objects.keys()].find((name) => name.startsWith('chunk/') && full.objects.get(name)!.length > 400)!;
  full.objects.get(chunk)![200]! ^= 1;
  for (const name of full.objects.keys())
    if (name.startsWith('chunk/')) full.objects.get(name)![full.objects.get(name)!.length >> 1]! ^= 1;
  await ask(last);
  const made = syntheses()[0]!;
  await t.runBackup(made.id);
  const { status, error } = t.backupOf(made.id);
  deepEqual([status, error?.code], ['failed', 'CHUNK_CORRUPT']);
  ok(error?.message.includes(last.id));
  equal(t.storeOf(made).objects.size, 0);
  // It is no longer used as a parent.
  ok(t.backupOf(last.id).damagedDepth !== undefined);
  await ask(last);
  equal(syntheses().length, 1);
});

/** A store whose effects can crash the machine. */
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
    extendLock: (...all) => mortal.alive(() => inner.extendLock(...all)),
    list: (prefix) => inner.list(prefix),
    remove: (...all) => mortal.effect(() => inner.remove(...all)),
    abortUnfinishedUploads: (...all) => mortal.effect(() => inner.abortUnfinishedUploads(...all)),
    close: () => inner.close(),
  };
};

test('synthetic full: after a crash at any effect the next run completes exactly one', async () => {
  const { last } = await chained([{ 'a/1': 'first', 'b/1': 'first' }, { 'a/1': 'changed' }]);
  const saved = new Map([...t.table.items].map(([key, item]) => [key, structuredClone(item)]));
  const folders = new Set(t.stores.keys());
  const again = (): void => {
    t.table.onWrite = () => undefined;
    t.table.onRead = () => undefined;
    t.table.items.clear();
    for (const [key, item] of saved) t.table.items.set(key, structuredClone(item));
    for (const folder of t.stores.keys()) if (!folders.has(folder)) (t.stores as Map<string, MemoryStore>).delete(folder);
    t.wrapStore = (store) => store;
  };
  const attach = (mortal: CrashInjector): void => {
    t.table.onWrite = (when) => mortal.atWrite(when);
    t.table.onRead = () => mortal.atRead();
    t.wrapStore = (store) => mortalStore(mortal, store);
  };
  const run = async (mortal: CrashInjector): Promise<void> => {
    attach(mortal);
    const position = firstBackupStep();
    for (let lives = 0; lives < 4; lives++) {
      try {
        await ask(last);
        const [made] = syntheses();
        await t.resumeBackup(made!.id, position);
        attach(new CrashInjector());
        return;
      } catch (error) {
        if (!mortal.isDead && !(error instanceof Crash)) throw error;
        attach(new CrashInjector());
      }
    }
  };
  const { found: expected } = await holdings(last);
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
    const names = [...t.storeOf(made[0]!).objects.keys()].sort();
    const { manifest, found } = await holdings(made[0]!);
    deepEqual(found, expected, `${when} ${at}`);
    deepEqual(names, ['key', 'manifest', ...manifest.objects.map(({ name }) => name)].sort(), `${when} ${at}`);
  }
  again();
});

test('synthetic full: its chunks have filters of the fields that are named then, and none of the chain', async () => {
  t.reset();
  nameSearchFields(t, ['text']);
  const random = chance('synthetic filters');
  const textOf = (): string => random(300).toString('hex');
  const names = Array.from({ length: 300 }, (_, n) => `a/${1_000 + n}`);
  const first = Object.fromEntries(names.map((name) => [name, textOf()]));
  const changed = Object.fromEntries(names.slice(0, 80).map((name) => [name, textOf()]));
  const last = (await takeChain(t, [first, changed])).at(-1)!;
  const values = { ...first, ...changed };
  await ask(last.backup);
  await t.runBackup(syntheses()[0]!.id);
  const [made] = syntheses() as [BackupRecord];
  const { manifest } = await holdings(made);
  const { filters = [], objects } = manifest;
  deepEqual(new Set(filters.map(({ backup }) => backup)), new Set([made.id]));
  equal(filters.length, objects.filter(({ name }) => name.startsWith('chunk/')).length);
  equal((await runVerification(t, made.id, 'full')).status, 'passed');
  t.stores.delete(last.backup.path);
  for (const path of [names[3]!, names[200]!]) {
    const found = await searchIn(t, `text == "${values[path]}"`, { backupId: made.id });
    deepEqual([found.matches.map((one) => one.path), found.plan.indexed], [[path], true]);
  }
  deepEqual((await searchIn(t, `text == "${first[names[3]!]}"`, { backupId: made.id })).matches, []);
});
