/** Backups that are built from captured changes: what they say of themselves, when they read instead, and what a crash or a fault leaves. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { changesMax } from '../../../../shared/backup/steps/plan-backup.ts';
import { canFollow } from '../../../../shared/pitr/base/base-backup.ts';
import { changesAfter, microsOf, whyNotBuilt } from '../../../../shared/pitr/index.ts';
import {
  type BackupRecord,
  backupData,
  backupKey,
  backupPrefix,
  type CapturedMoment,
  type ChangeSource,
} from '../../../../shared/stored-backup/index.ts';
import { resumeBackup } from '../../../harness/env/backup/run-backup.ts';
import { firstBackupStep } from '../../../harness/env/backup-env.ts';
import { assertVerified, documentsIn } from '../../../harness/env/capture/built-backup.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { createPointInTimeEnv, type PointInTimeEnv } from '../../../harness/env/point-in-time-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

afterAll(stopCaptureEnv);

/** Captured, with a change since the base. `wait` is what happens while a backup waits. */
const captured = async (wait?: (t: CaptureEnv) => Promise<unknown>): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/a': '1', 'users/b': '1', 'users/b/notes/n': '1' });
  const runAsked = async (): Promise<void> => {
    t.pass(1);
    if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
  };
  t.deps = { ...t.deps, changes: changesAfter(() => (wait ? wait(t) : runAsked())) };
  t.pass(1);
  await t.put({ 'users/a': '2', 'users/b': null, 'users/c': '1' });
  return t;
};

test('built backup: record and event say what it was built from, what it read and what reading would have cost', async () => {
  const t = await captured();
  const backup = await t.takeBackup();
  const [base] = t.pitr.bases;
  const shown = backupData(backup);
  deepEqual(
    [shown.builtFrom, shown.builtFromReason, shown.readsBilled, shown.auditedSince, shown.costIfRead?.reads],
    ['changes', undefined, 1, base?.readTime, 5],
  );
  deepEqual(shown.collectionCounts, { users: 2, notes: 1 });
  equal(shown.countVerified, true);
  const [event] = t.events('backup.completed').slice(-1) as unknown as [{ data: { backup: typeof shown } }];
  const { builtFrom, readsBilled, auditedSince } = event.data.backup;
  deepEqual([builtFrom, readsBilled, auditedSince], ['changes', 1, base?.readTime]);
});

test('built backup: one that must read, one of some collections and the base itself read the source', async () => {
  const t = await captured();
  const read = await t.takeBackup({ source: 'read' });
  deepEqual([read.builtFrom, read.builtFromReason], ['source', undefined]);
  equal(backupData(read).auditedSince, read.readTime);
  const some = await t.takeBackup({ collections: ['users'] });
  deepEqual(
    [some.builtFrom, some.builtFromReason],
    ['source', 'only a backup of all collections can be built from captured changes'],
  );
  const bases = t.table.find(`ORG#${t.tenant.organizationId}`, backupPrefix).filter(({ trigger }) => trigger === 'pitr-base');
  deepEqual(
    bases.map(({ builtFrom }) => builtFrom),
    ['source'],
  );
});

test('built backup: without a capture in time it reads, and says why; without captures it just reads', async () => {
  const late = await captured(async (t) => t.pass(1));
  const { builtFrom, builtFromReason = '' } = await late.takeBackup();
  equal(builtFrom, 'source');
  match(builtFromReason, /were not captured and counted within 90 seconds/);
  const off = await captured();
  await off.disable();
  const read = await off.takeBackup();
  deepEqual([read.status, read.builtFrom, read.builtFromReason], ['completed', 'source', undefined]);
});

test('built backup: a batch that is lost or damaged is found before anything is written; the source is read, and the reason names it', async () => {
  for (const fault of ['lost', 'damaged'] as const) {
    const t = await captured();
    await t.runNextCycle();
    const [batch] = t.batches;
    const store = t.folder(batch!.path);
    const [name, bytes] = [...store.objects][0]!;
    if (fault === 'lost') store.objects.delete(name);
    else store.objects.set(name, Buffer.from(bytes).fill(7, 200, 220));
    const backup = await t.takeBackup();
    deepEqual([backup.status, backup.builtFrom, backup.documentCount], ['completed', 'source', 3], fault);
    ok(backup.builtFromReason?.includes(batch!.path), backup.builtFromReason);
  }
});

test('built backup: a synthetic full of it is as old as it is in what was read, and no base either', async () => {
  const t = await captured();
  const built = await t.takeBackup();
  await t.put({ 'users/d': '1' });
  const last = await t.takeBackup({ type: 'incremental', parentBackupId: built.id, chainLength: 1 });
  const whole = await t.takeBackup({ synthesizedFrom: last });
  const [base] = t.pitr.bases;
  const { builtFrom, auditedSince, readTime } = backupData(whole);
  deepEqual([builtFrom, auditedSince, readTime], ['changes', base?.readTime, last.readTime]);
  equal(canFollow(t.tenant, t.pitr, whole), false);
  const read = await t.takeBackup({ source: 'read' });
  const ofRead = await t.takeBackup({ synthesizedFrom: read });
  deepEqual([ofRead.builtFrom, backupData(ofRead).auditedSince], ['source', read.readTime]);
});

test('built backup: an incremental one whose parent is older than the base counts deletions of the last documents, too', async () => {
  const t = await captured();
  const parent = await t.takeBackup();
  t.table.put({ ...t.pitr, bytesSinceBase: 1 << 30, mustReadBase: true as const });
  await t.runNextCycle();
  await t.runRequestedBase();
  await t.runNextCycle();
  ok(microsOf(t.pitr.bases.at(-1)?.readTime ?? '') > microsOf(parent.readTime ?? ''));
  await t.put({ 'users/a': '3', 'users/c': null, 'users/a/notes/n': '1' });
  const child = await t.takeBackup({ type: 'incremental', parentBackupId: parent.id, chainLength: 1 });
  deepEqual([child.status, child.builtFrom, child.type], ['completed', 'changes', 'incremental'], child.error?.message);
  deepEqual(await documentsIn(t, child), [...t.truthAt(microsOf(child.readTime ?? ''))].sort());
});

test('built backup: while captures fail it waits for their next attempt, and does not repeat them at once', async () => {
  let cycles = 0;
  const t = await captured(async (env) => {
    env.pass(1);
    if (Date.parse(env.pitr.nextTurnAt ?? '') > env.nowMs) return;
    cycles += 1;
    await env.runCycle();
  });
  t.server.faults.add({ method: 'Listen', status: 'UNAVAILABLE', times: 1_000 });
  const { builtFrom, builtFromReason = '' } = await t.takeBackup();
  t.server.faults.clear();
  equal(builtFrom, 'source');
  match(builtFromReason, /were not captured and counted within 90 seconds/);
  ok(cycles <= 3, `${cycles} cycles within 90 seconds`);
});

test('built backup: the estimate expects none while a collection is missing, and says why', async () => {
  const t = await captured();
  equal(whyNotBuilt(t.pitr), undefined);
  const gap = { from: t.pitr.capturedTo!, to: null, reason: 'the collection was found late', collections: ['fresh'] };
  t.pass(20);
  await t.runNextCycle();
  t.table.put({ ...t.pitr, gaps: [gap] });
  equal(whyNotBuilt(t.pitr), gap.reason);
  t.table.put({ ...t.pitr, gaps: [], bases: t.pitr.bases.map((one) => ({ ...one, isDamaged: true as const })) });
  match(whyNotBuilt(t.pitr) ?? '', /base backup/);
});

/** The captured moments of the project, each as another function returns it. */
const changingMoments = ({ deps: { changes } }: CaptureEnv) => {
  const findMoment: ChangeSource['findMoment'] = async (...run) => changes!.findMoment(...run);
  return (change: (found: CapturedMoment) => CapturedMoment): ChangeSource => ({
    findMoment: async (...run) => {
      const found = await findMoment(...run);
      return found && !('reason' in found) ? change(found) : found;
    },
  });
};

test('built backup: with too many changes, or when sorting them takes too long, the source is read, and the reason says so', async () => {
  const t = await captured();
  const asFound = changingMoments(t);
  t.deps = { ...t.deps, changes: asFound((found) => ({ ...found, changes: changesMax + 1 })) };
  const many = await t.takeBackup();
  deepEqual([many.status, many.builtFrom, many.documentCount], ['completed', 'source', 3]);
  match(many.builtFromReason ?? '', /^2000001 changes were captured/);
  async function* slowly(found: CapturedMoment) {
    t.pass(201);
    yield* found.readChanges();
  }
  t.deps = { ...t.deps, changes: asFound((found) => ({ ...found, readChanges: () => slowly(found) })) };
  const late = await t.takeBackup();
  deepEqual([late.status, late.builtFrom, late.documentCount], ['completed', 'source', 3]);
  match(late.builtFromReason ?? '', /could not be sorted in the time/);
  // Nothing of the attempt is left.
  deepEqual(
    [...t.folder(late.path).objects.keys()].filter((name) => name.startsWith('chunk/9')),
    [],
  );
});

/** Flips the last byte of a chunk: of the tag of the bodies, which a copy does not decompress. */
const damageChunk = (t: CaptureEnv, { path }: BackupRecord): void => damageObjects(t.folder(path).objects);

const damageObjects = (objects: Map<string, Uint8Array>): void => {
  const name = [...objects.keys()].find((one) => one.startsWith('chunk/'))!;
  const bytes = Buffer.from(objects.get(name)!);
  bytes[bytes.length - 1]! ^= 1;
  objects.set(name, bytes);
};

/** No reader minds the byte; the last step finds that the length is another one. */
const lengthenChunk = (t: CaptureEnv, { path }: BackupRecord): void => {
  const { objects } = t.folder(path);
  const name = [...objects.keys()].find((one) => one.startsWith('chunk/'))!;
  objects.set(name, Buffer.concat([objects.get(name)!, Buffer.alloc(1)]));
};

const recordOf = (t: CaptureEnv, id: string): BackupRecord => t.table.get<BackupRecord>(backupKey.backup(t.tenant, id))!;

/** It has read the source, exactly, says why, and has nothing of its first plan. */
const assertReadInstead = async (t: CaptureEnv, backup: BackupRecord, reason: RegExp): Promise<void> => {
  deepEqual([backup.status, backup.builtFrom, backup.error], ['completed', 'source', null]);
  match(backup.builtFromReason ?? '', reason);
  deepEqual([backup.buildBase, backup.delta, backup.auditedSince], [undefined, undefined, undefined]);
  equal(backupData(backup).auditedSince, backup.readTime);
  const truth = [...t.truthAt(microsOf(backup.readTime!))].sort();
  deepEqual(await documentsIn(t, backup), truth);
  deepEqual([backup.documents, backup.documentCount, backup.totalDocuments], [truth.length, truth.length, truth.length]);
  await assertVerified(t, backup);
};

test('built backup: of a damaged leaf of the base, found while it is copied, the source is read; the next one does not choose that base', async () => {
  const t = await captured();
  await t.takeBackup();
  const base = recordOf(t, t.pitr.bases[0]!.backupId);
  damageChunk(t, base);
  const backup = await t.takeBackup();
  await assertReadInstead(t, backup, new RegExp(`^The backup ${base.id}, which this one is made from, cannot be read`));
  equal(recordOf(t, base.id).damagedDepth, 'full');
  await t.put({ 'users/d': '1' });
  const next = await t.takeBackup();
  deepEqual([next.status, next.documentCount], ['completed', 4]);
  ok(next.buildBase?.backupId !== base.id);
});

test('built backup: what was copied before the damage was found is dropped, and copied again under other names', async () => {
  const t = await captured();
  const readAuthUsers = async function* () {
    yield { id: 'u1', json: Buffer.from('{"localId":"u1"}') };
  };
  t.deps = { ...t.deps, readAuthUsers };
  const base = recordOf(t, t.pitr.bases[0]!.backupId);
  damageChunk(t, base);
  const id = await t.startBackup({ includeAuthUsers: true });
  // Users come first, so that their part is stored by then.
  const step = firstBackupStep();
  await resumeBackup({ tenant: t.tenant, backupId: id, deps: t.deps }, step);
  const backup = recordOf(t, id);
  deepEqual([backup.status, backup.builtFrom, backup.authUsers, backup.planNumber], ['completed', 'source', 1, 2]);
  deepEqual(await documentsIn(t, backup), [...t.truthAt(microsOf(backup.readTime!))].sort());
  await assertVerified(t, backup);
  deepEqual(
    [...t.folder(backup.path).objects.keys()].filter((name) => name.startsWith('index/')),
    ['index/00000000-0002', 'index/00000001-0002'],
  );
});

test('built backup: an incremental one whose parent is damaged becomes a full one that reads the source', async () => {
  for (const damage of [damageChunk, lengthenChunk]) {
    const t = await captured();
    const parent = recordOf(t, t.pitr.bases[0]!.backupId);
    damage(t, parent);
    const backup = await t.takeBackup({ type: 'incremental', parentBackupId: parent.id, chainLength: 1 });
    await assertReadInstead(t, backup, new RegExp(parent.id));
    deepEqual([backup.type, backup.parentBackupId, backup.needs], ['full', null, undefined]);
    match(backup.fullBecause ?? '', new RegExp(`${parent.id}.* is damaged`));
  }
});

test('built backup: if retention has deleted the base since the plan, the source is read', async () => {
  const t = await captured();
  const base = recordOf(t, t.pitr.bases[0]!.backupId);
  async function* expiring(found: CapturedMoment) {
    yield* found.readChanges();
    t.table.put({ ...base, status: 'expired' });
    t.folder(base.path).objects.clear();
  }
  t.deps = { ...t.deps, changes: changingMoments(t)((found) => ({ ...found, readChanges: () => expiring(found) })) };
  await assertReadInstead(t, await t.takeBackup(), new RegExp(`${base.id}.* is gone`));
});

test('built backup: two at once, of which one is refused, and both that follow are exact', async () => {
  const t = await captured();
  const outcomes = await Promise.allSettled([t.takeBackup(), t.takeBackup()]);
  deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await t.put({ 'users/d': '1' });
  const next = await t.takeBackup();
  deepEqual([next.builtFrom, next.documentCount], ['changes', t.truthAt(microsOf(next.readTime!)).size]);
});

/** Captures with a base, of which a chunk may be damaged, and a backup that has not begun. */
const startFirst = async (t: PointInTimeEnv, isDamaged = false): Promise<string> => {
  await t.startCaptures({ 'users/a': text('1'), 'users/b': text('1'), 'shops/a': text('1') });
  await t.put({ 'users/a': text('2'), 'users/b': undefined, 'users/c': text('1') });
  t.pass(1);
  t.deps = { ...t.deps, changes: changesAfter(() => t.runCycle()) };
  if (isDamaged) damageObjects(t.stores.get(t.base.path)!.objects);
  return t.startBackup({ includeAuthUsers: true });
};

/** The states that a crash may leave after some of the effects. */
const crashWithin = async (t: PointInTimeEnv, isDamaged: boolean, [from, to]: readonly [number, number]): Promise<void> => {
  const builtFrom = isDamaged ? 'source' : 'changes';
  const id = await startFirst(t, isDamaged);
  const whole = new CrashingMachine().attach(t);
  await t.resumeBackup(id, firstBackupStep());
  await assertExact(t, { id, builtFrom, where: 'without a crash' });
  ok(whole.effects > from + 15);
  for (const { at, when } of crashPoints(whole.effects).filter((point) => from < point.at && point.at <= to)) {
    const crashed = await startFirst(t, isDamaged);
    const position = firstBackupStep();
    new CrashingMachine(at, when).attach(t);
    await t.resumeBackup(crashed, position).catch(() => undefined);
    new CrashingMachine().attach(t);
    await t.resumeBackup(crashed, position);
    await assertExact(t, { id: crashed, builtFrom, where: `${when} ${at}` });
  }
};

test('built backup: after a crash at any effect the retried step completes it, exactly', async () =>
  crashWithin(await createPointInTimeEnv(), false, [0, Number.POSITIVE_INFINITY]));

test('built backup: after a crash while it is planned again and reads the source, the retried step completes it, exactly', async () =>
  // What precedes, and the last step, are those of any backup.
  crashWithin(await createPointInTimeEnv(), true, [17, 33]));

test('built backup: it has what was written before it started, also if the clock of the source is ahead', async () => {
  const t = await createPointInTimeEnv();
  await t.startCaptures({ 'users/a': text('1') });
  t.pass(1);
  t.sourceNowMs = () => t.nowMs() + 30_000;
  t.deps = { ...t.deps, changes: changesAfter(() => t.runCycle()) };
  await t.runCycle();
  await t.put({ 'users/b': text('1') });
  const backup = await t.takeBackup();
  deepEqual([backup.builtFrom, backup.documentCount], ['changes', 2]);
});

const text = (stringValue: string) => ({ text: { stringValue } });

const assertExact = async (
  t: PointInTimeEnv,
  { id, builtFrom, where }: { readonly id: string; readonly builtFrom: string; readonly where: string },
): Promise<void> => {
  const record = t.table.get(backupKey.backup(t.tenant, id))!;
  deepEqual([record.status, record.builtFrom, record.documentCount], ['completed', builtFrom, 3], where);
  deepEqual(
    new Map([...(await t.contentsOf(record as never))].sort()),
    new Map([...t.sourceAt(String(record.readTime))].sort()),
    where,
  );
  const own = [...t.stores.get(String(record.path))!.objects.keys()].map((name) => name.split('/')[0]).sort();
  ok(own.filter((kind) => kind === 'index').length <= 2, `${where}: ${own}`);
};
