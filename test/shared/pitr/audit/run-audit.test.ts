/** The rolling audit with a real source, bucket and table: what was lost is found, named, told of and corrected. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { recordKind, streamLeaves } from '../../../../shared/archive/index.ts';
import { needsReadBase } from '../../../../shared/pitr/base/needs-read-base.ts';
import {
  buildPointInMemory,
  changesAfter,
  listDivergences,
  microsOf,
  momentOf,
  type PitrRecord,
  pitrKey,
  planPoint,
  pointBackupRecord,
  readAuditView,
  runAudit,
} from '../../../../shared/pitr/index.ts';
import type { CaptureAuditRecord } from '../../../../shared/pitr/model/record.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { type BackupRecord, backupKey, openArchive } from '../../../../shared/stored-backup/index.ts';
import { documentsIn } from '../../../harness/env/capture/built-backup.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';
import { documentsRoot } from '../../../harness/firestore/write-documents.ts';

afterAll(stopCaptureEnv);

const dayMs = 24 * 3_600_000;
const documents = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`users/u${String(n).padStart(2, '0')}`, `${n}`]));

/** Captures whose last base was read so many days ago, as one that was built from changes. */
const startCaptures = async (
  days = 3,
  auditDays = 10,
  first: Readonly<Record<string, string>> = documents,
): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ ...first, 'users/u00/notes/n1': 'note' }, { auditDays });
  await cycle(t);
  const key = backupKey.backup(t.tenant, t.pitr.bases.at(-1)!.backupId);
  const base = t.table.get<BackupRecord>(key)!;
  t.table.put({ ...base, builtFrom: 'changes', auditedSince: new Date(t.nowMs - days * dayMs).toISOString() });
  return t;
};

const cycle = async (t: CaptureEnv): Promise<void> => {
  t.pass(3);
  await t.runNextCycle();
};

const audit = (t: CaptureEnv) =>
  runAudit(t.tenant, t.projectId, {
    deps: t.deps,
    until: new Date(t.nowMs + 60_000),
    signal: AbortSignal.timeout(60_000),
  });

const auditOf = (t: CaptureEnv) => t.table.get<CaptureAuditRecord>(pitrKey.audit(t.tenant, t.projectId))!;

/** A day later, as far as the audit is concerned. */
const nextDay = (t: CaptureEnv): void => {
  t.table.put({ ...auditOf(t), dayEndsAt: new Date(t.nowMs).toISOString() });
  t.table.put({ ...t.pitr, auditDueAt: new Date(t.nowMs).toISOString() });
};

/** The fault: a captured batch is lost without a trace. */
const loseLastBatch = (t: CaptureEnv): void => {
  const last = t.batches.at(-1)!;
  t.table.items.delete(`${last.pk}\n${last.sk}`);
  const { lastBatch: _, ...pitr } = t.pitr;
  t.table.put({ ...pitr, ...(last.previous !== null && { lastBatch: last.previous }) } as PitrRecord);
};

const restoredAt = async (t: CaptureEnv, moment: string): Promise<readonly (readonly [string, string])[]> => {
  const request = { pointInTime: moment, isExact: true } as const;
  const plan = await planPoint(t.tenant, { projectId: t.projectId, request, now: t.now });
  const as = { id: newId('backup'), path: 'point', createdAt: moment, createdBy: t.pitr.createdBy };
  const backup = pointBackupRecord(t.tenant, plan, as);
  const limits = { until: new Date(t.nowMs + 600_000), clock: t.deps.clock };
  const built = await buildPointInMemory(t.tenant, { backup, plan, deps: t.deps, ...limits });
  const open = await openArchive(t.tenant, { backup: built.backup, deps: built.deps });
  const root = documentsRoot(t.sourceProjectId).length + 1;
  const found: [string, string][] = [];
  for await (const { segment, leaf } of streamLeaves(open.archive))
    for (let slot = segment.start; slot < segment.start + segment.count; slot++)
      if (leaf.kind(slot) === recordKind.document)
        found.push([leaf.name(slot).toString().slice(root), leaf.content(slot).toString('hex')]);
  open.close();
  return found.sort();
};

const assertExactAt = async (t: CaptureEnv, moment = t.pitr.capturedTo!): Promise<void> =>
  deepEqual(await restoredAt(t, moment), [...t.truthAt(microsOf(moment))].sort(), `at ${moment}`);

test('audit: each day reads its share and continues where it stopped; backups say since when everything was read', async () => {
  const t = await startCaptures();
  const before = (await readAuditView(t.tenant, t.pitr))!;
  equal(before.auditedSince, t.table.get<BackupRecord>(backupKey.backup(t.tenant, t.pitr.bases[0]!.backupId))!.auditedSince);
  const names: (string | undefined)[] = [];
  for (let day = 1; day <= 12; day++) {
    equal(await audit(t), false);
    // A tenth of 41 to 53 documents; the last part of a round has what is left.
    const { documentsToday, next } = auditOf(t);
    ok(documentsToday <= 6 && (documentsToday >= 5 || next === undefined), `${documentsToday} were read`);
    names.push(auditOf(t).next);
    nextDay(t);
    await t.put({ [`users/u${day}x`]: 'grows' });
    await cycle(t);
    if (auditOf(t).next === undefined) break;
  }
  equal(new Set(names).size, names.length);
  const { auditedSince, documents: read, differences } = (await readAuditView(t.tenant, t.pitr))!;
  ok(auditedSince! >= new Date(t.nowMs - 3_600_000).toISOString(), 'everything was read within the last hour');
  ok(read >= 41 && differences === 0);
  deepEqual([t.pitr.diverged, t.batches.some(({ asOf }) => asOf)], [undefined, false]);
  ok(auditOf(t).reads <= read + 3 * names.length);
  const request = { pointInTime: t.pitr.capturedTo!, isExact: true } as const;
  const plan = await planPoint(t.tenant, { projectId: t.projectId, request, now: t.now });
  equal(plan.auditedSince?.slice(0, 19), auditedSince?.slice(0, 19));
}, 240_000);

test('audit: a budget that is spent without it pauses it, which no base makes up for; a larger one lets it go on', async () => {
  const t = await startCaptures();
  const key = projectKey.project(t.tenant, t.projectId);
  const setBudget = (documents: number): void => {
    const project = t.table.get<ProjectRecord>(key)!;
    t.table.put({ ...project, settings: { ...project.settings, readBudgetPerDay: { documents } } });
  };
  setBudget(1);
  equal(await audit(t), false);
  equal(auditOf(t), undefined);
  equal(t.pitr.auditPaceDays, null);
  ok(t.pitr.auditDueAt! > t.now.toISOString());
  equal(needsReadBase(t.pitr, new Date(t.nowMs + 400 * dayMs)), false);
  equal(needsReadBase({ ...t.pitr, auditPaceDays: 20 }, new Date(t.nowMs + 15 * dayMs)), false);
  equal(needsReadBase({ ...t.pitr, auditPaceDays: 20 }, new Date(t.nowMs + 25 * dayMs)), true);

  // A built base shows what the audit had read by then; what it reads later, the next base shows.
  const [readTime, auditDays] = [t.pitr.bases[0]!.readTime, 30];
  for (const [age, isStale] of [
    [29, false],
    [31, true],
  ] as const) {
    const auditedSince = new Date(Date.parse(readTime) - age * dayMs).toISOString();
    const built = { backupId: newId('backup'), readTime, since: readTime, builtFrom: 'changes', auditedSince } as const;
    const { auditPaceDays: _, ...pitr } = t.pitr;
    equal(needsReadBase({ ...pitr, auditDays, bases: [...pitr.bases, built] }, new Date(t.nowMs + 3 * dayMs)), isStale);
  }

  setBudget(1_000_000);
  t.table.put({ ...t.pitr, auditDueAt: t.now.toISOString() });
  equal(await audit(t), false);
  equal(t.pitr.auditPaceDays, 10);
  equal(auditOf(t).documentsToday, 5);
}, 240_000);

test('audit: lost changes are found, named with both versions, and what is restored from then on is exact', async () => {
  const t = await startCaptures(3, 7, { 'users/ada': '1', 'users/bob': '1', 'users/cyd': '1' });
  await t.put({ 'users/bob': '2' });
  await cycle(t);
  t.pass(2);
  await t.put({ 'users/ada': '2', 'users/bob': null, 'users/new': '1', 'users/cyd/notes/n9': 'deep' });
  await cycle(t);
  loseLastBatch(t);
  await t.put({ 'users/cyd': '2' });
  await cycle(t);
  const lost = t.pitr.capturedTo!;
  ok(JSON.stringify(await restoredAt(t, lost)) !== JSON.stringify([...t.truthAt(microsOf(lost))].sort()));
  for (let day = 0; (day < 9 && auditOf(t)?.next !== undefined) || day === 0; day++) {
    await audit(t);
    nextDay(t);
  }
  const { data } = await listDivergences(t.tenant, t.projectId, { limit: 100, after: undefined });
  deepEqual(data.map(({ path, captured, source }) => [path, captured !== null, source !== null]).sort(), [
    ['users/ada', true, true],
    ['users/bob', true, false],
    ['users/cyd/notes/n9', false, true],
    ['users/new', false, true],
  ]);
  equal(auditOf(t).differences, 4);
  ok(data.every(({ captured, source }) => captured?.sha256 !== source?.sha256));
  await assertExactAt(t);
  t.pass(2);
  await t.put({ 'users/ada': '3', 'users/bob': 'again' });
  await cycle(t);
  await assertExactAt(t);
  const { diverged = [], mustReadBase, problem } = { ...t.pitr, problem: t.pitr };
  equal(mustReadBase, true);
  ok(problem && diverged.length > 0 && diverged.every(({ from, to }) => microsOf(from) < microsOf(to)));
  equal(t.events('pitr.diverged').length, diverged.length);
  equal(t.audited('pitr.diverged').length, diverged.length);
  // The next base reads the source, and ends it.
  await cycle(t);
  ok(t.pitr.comingBaseId !== null);
  await t.runRequestedBase();
  await cycle(t);
  await cycle(t);
  deepEqual([t.pitr.mustReadBase, t.pitr.diverged?.length, t.pitr.bases.length], [undefined, diverged.length, 2]);
  await assertExactAt(t);
}, 240_000);

test('audit: a version from before the base of a moment replaces what the base has', async () => {
  const t = await startCaptures(3, 7, { 'users/ada': '1', 'users/bob': '1' });
  await t.put({ 'users/ada': '2', 'users/bob': null });
  await cycle(t);
  loseLastBatch(t);
  buildFromChanges(t);
  const built = await t.takeBackup();
  // A base that was built from what was captured has what that lacks.
  const base = { backupId: built.id, readTime: built.readTime!, since: built.readTime! };
  equal(built.builtFrom, 'changes');
  t.table.put({ ...t.pitr, bases: [...t.pitr.bases, base] });
  await cycle(t);
  for (let day = 0; day < 3; day++) {
    await audit(t);
    nextDay(t);
  }
  equal(auditOf(t).differences, 2);
  await assertExactAt(t);
}, 240_000);

/** While a backup waits, the capture that it asked for runs. */
const buildFromChanges = (t: CaptureEnv): void => {
  const capture = async (): Promise<void> => {
    t.pass(1);
    if (Date.parse(t.pitr.nextTurnAt ?? '') <= t.nowMs) await t.runCycle();
  };
  t.deps = { ...t.deps, changes: changesAfter(capture) };
};

test('audit: an incremental backup is exact although its parent was built, at the same moment, before the correction', async () => {
  const t = await startCaptures(3, 7, { 'users/ada': '1', 'users/bob': '1' });
  await t.put({ 'users/ada': '2', 'users/bob': null, 'users/new': '1' });
  await cycle(t);
  loseLastBatch(t);
  buildFromChanges(t);
  const parent = await t.takeBackup();
  equal(microsOf(parent.readTime!), microsOf(t.pitr.capturedTo!));
  for (let day = 0; day < 3; day++) {
    await audit(t);
    nextDay(t);
  }
  equal(auditOf(t).differences, 3);
  equal(t.batches.find(({ asOf }) => asOf)?.asOf, t.pitr.capturedTo);
  const child = await t.takeBackup({ type: 'incremental', parentBackupId: parent.id, chainLength: 1 });
  equal(child.builtFrom, 'changes');
  deepEqual(await documentsIn(t, child), [...t.truthAt(microsOf(child.readTime!))].sort());
}, 240_000);

test('audit: a base that was built while a step was read has the lost changes, too, so the step is repeated after it', async () => {
  const t = await startCaptures(3, 7, { 'users/ada': '1', 'users/bob': '1' });
  await t.put({ 'users/ada': '2', 'users/bob': null });
  await cycle(t);
  loseLastBatch(t);
  buildFromChanges(t);
  const built = await t.takeBackup();
  const base = { backupId: built.id, readTime: built.readTime!, since: built.readTime!, builtFrom: 'changes' as const };
  t.table.put({ ...t.pitr, bases: [...t.pitr.bases, base] });
  equal(built.readTime, t.pitr.capturedTo);
  await audit(t);
  const { problem, differences } = (await readAuditView(t.tenant, t.pitr))!;
  deepEqual([differences, t.pitr.diverged], [0, undefined]);
  ok(problem?.includes('base'), problem ?? '');
  await cycle(t);
  for (let day = 0; day < 3; day++) {
    nextDay(t);
    await audit(t);
  }
  equal(auditOf(t).differences, 2);
  await assertExactAt(t);
}, 240_000);

test('audit: a task that is delivered twice reads once; what is disabled is not read', async () => {
  const t = await startCaptures();
  await Promise.all([audit(t), audit(t), audit(t)]);
  deepEqual([auditOf(t).documents, auditOf(t).turn], [5, 1]);
  await audit(t);
  equal(auditOf(t).documents, 5);
  nextDay(t);
  await t.disable();
  equal(await audit(t), false);
  equal(auditOf(t).documents, 5);
}, 240_000);

test('audit: what cannot be compared now is tried again, and says why', async () => {
  const t = await startCaptures();
  t.pass(50 * 60);
  equal(await audit(t), false);
  const view = (await readAuditView(t.tenant, t.pitr))!;
  ok(view.problem?.includes('older'), view.problem ?? '');
  equal(auditOf(t).documents, 0);
  ok(view.dueAt! > new Date(t.nowMs).toISOString());
}, 240_000);

const surviving = async (injector: CrashInjector): Promise<CaptureEnv> => {
  const t = await startCaptures(3, 7, { 'users/ada': '1', 'users/bob': '1' });
  await t.put({ 'users/ada': '2' });
  await cycle(t);
  loseLastBatch(t);
  t.table.onWrite = (when) => injector.atWrite(when);
  t.table.onRead = () => injector.atRead();
  await audit(t).catch(() => undefined);
  t.table.onWrite = () => undefined;
  t.table.onRead = () => undefined;
  return t;
};

test('audit: a worker that dies before or after an effect loses nothing, and nothing is corrected twice', async () => {
  const counting = new CrashInjector();
  await surviving(counting);
  ok(counting.effects >= 3, `${counting.effects} effects`);
  for (const when of ['before', 'after'] as const)
    for (let at = 1; at <= counting.effects; at++) {
      const t = await surviving(new CrashInjector(at, when));
      // The lease of a dead worker ends.
      t.pass(400);
      await cycle(t);
      for (let day = 0; day < 4; day++) {
        nextDayIfAny(t);
        await audit(t);
      }
      const { data } = await listDivergences(t.tenant, t.projectId, { limit: 100, after: undefined });
      deepEqual([data.length, auditOf(t).differences, t.batches.filter(({ asOf }) => asOf).length], [1, 1, 1], `${when} ${at}`);
      await assertExactAt(t);
      t.pass(2 * 3_600);
      await t.expire();
      equal(t.uploads, 0);
    }
}, 600_000);

const nextDayIfAny = (t: CaptureEnv): void => {
  if (auditOf(t)) nextDay(t);
};

test('audit: a correction counts from its moment on, and later changes after it', async () => {
  const t = await startCaptures(3, 7, { 'users/ada': '1', 'users/bob': '1' });
  await t.put({ 'users/ada': '2' });
  await cycle(t);
  loseLastBatch(t);
  await audit(t);
  const corrected = t.batches.find(({ asOf }) => asOf)!;
  const rank = momentOf(microsOf(corrected.asOf!));
  deepEqual([corrected.to, corrected.from], [rank, momentOf(microsOf(rank) - 1)]);
  t.pass(5);
  await t.put({ 'users/ada': null });
  await cycle(t);
  await assertExactAt(t);
  await assertExactAt(t, rank);
}, 240_000);
