/** A backup that makes no progress shows what it waits for, in its record and its progress events. */
import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, test } from 'vitest';
import { BackupWaits } from '../../../../shared/backup/model/backup-waits.ts';
import { MemoryStore, StorageError } from '../../../../shared/destination/index.ts';
import { Availability } from '../../../../shared/firestore/index.ts';
import { StoreCalls, timelineOf } from '../../../../shared/job/index.ts';
import { commit, set, systemTimers } from '../../../../shared/platform/index.ts';
import { backupData } from '../../../../shared/stored-backup/model/backup-view.ts';
import { backupKey } from '../../../../shared/stored-backup/model/record.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import { bound } from '../../../harness/faults/faulty-store.ts';

const t = await createBackupEnv();

const reportedWaits = () =>
  t.events('backup.progress').map(({ data }) => (data as { backup: { waitingFor: unknown } }).backup.waitingFor);

describe('the heartbeats of a run', () => {
  const startMs = Date.parse('2026-03-01T10:00:00.000Z');
  let nowMs: number;
  let id: string;
  let source: Availability;
  let calls: StoreCalls;
  let waits: BackupWaits;
  const clock = { now: () => new Date(nowMs) };
  const project = { id: t.projectId, name: 'Shop', sourceProjectId: 'shop' };
  beforeEach(async () => {
    t.reset();
    nowMs = startMs;
    id = await t.startBackup();
    t.table.put({ ...t.backupOf(id), status: 'running', phase: 'copying', totalDocuments: 100 });
    source = new Availability();
    calls = new StoreCalls(clock);
    waits = newWaits(source);
  });
  const newWaits = (of: Availability) =>
    new BackupWaits({ context: { tenant: t.tenant, project, organization: t.organization }, database: of, calls, clock });
  const beat = async (seconds: number, by = waits) => {
    nowMs += seconds * 1_000;
    await by.observe(t.backupOf(id));
    return t.backupOf(id).waitingFor;
  };

  test('show an exhausted quota after 10 s, with one event, until calls succeed', async () => {
    source.failed({ isExhausted: true });
    equal(await beat(2), undefined);
    equal(await beat(8), undefined);
    const wait = { reason: 'quota', since: '2026-03-01T10:00:02.000Z' };
    deepEqual(await beat(2), wait);
    deepEqual(await beat(60), wait);
    const shown = { ...wait, attempts: 0, problem: null, givesUpAt: null };
    deepEqual(reportedWaits(), [shown]);
    deepEqual(backupData(t.backupOf(id)).waitingFor, shown);
    source.succeeded();
    equal(await beat(2), undefined);
    equal(backupData(t.backupOf(id)).waitingFor, null);
  });

  test('show a database that does not answer since the call began, also if it then gives up', async () => {
    const silent = new Availability({ now: () => nowMs });
    const own = newWaits(silent);
    nowMs += 1_000;
    const call = silent.wait();
    equal(await beat(8, own), undefined);
    call.received();
    equal(await beat(8, own), undefined);
    const wait = { reason: 'database', since: '2026-03-01T10:00:09.000Z' };
    deepEqual(await beat(2, own), wait);
    call.end();
    silent.failed({ isExhausted: false });
    deepEqual(await beat(70, own), wait);
    silent.succeeded();
    equal(await beat(2, own), undefined);
  });

  test('show nothing for a call that is slow while other workers copy', async () => {
    const silent = new Availability({ now: () => nowMs });
    const own = newWaits(silent);
    silent.wait();
    for (let documents = 1; documents < 10; documents++) {
      equal(await beat(5, own), undefined);
      t.table.put({ ...t.backupOf(id), documents });
    }
  });

  test('show a bucket that does not answer since the call began, and not while other workers copy', async () => {
    let answer: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const putting = calls.watch({ ...bound(new MemoryStore()), put: () => hanging }).put('key', new Uint8Array());
    t.table.put({ ...t.backupOf(id), documents: 1 });
    equal(await beat(8), undefined);
    deepEqual(await beat(4), { reason: 'storage', since: '2026-03-01T10:00:00.000Z' });
    answer();
    await putting;
    equal(await beat(2), undefined);
    source.failed({ isExhausted: false });
    for (let documents = 2; documents < 12; documents++) {
      equal(await beat(5), undefined);
      t.table.put({ ...t.backupOf(id), documents });
    }
  });

  test('show nothing for a backup that has ended', () => {
    const waitingFor = { reason: 'quota', since: '2026-03-01T10:00:02.000Z' } as const;
    for (const status of ['failed', 'cancelled', 'completed'] as const)
      equal(backupData({ ...t.backupOf(id), waitingFor, status }).waitingFor, null);
  });
});

const resetWithDocuments = async (): Promise<void> => {
  t.reset();
  await t.writePaths(['a/1', 'a/2', 'b/1']);
};

for (const [method, what] of [
  ['ListCollectionIds', 'planned'],
  ['RunQuery', 'copied'],
] as const)
  test(`a backup that cannot be ${what} for lack of quota says so until it goes on`, async () => {
    await resetWithDocuments();
    t.server.faults.add({ method, project: t.sourceProjectId, status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
    const id = await t.startBackup();
    const running = t.runBackup(id, {
      triesMax: 1_000,
      onError: () => {
        if (t.backupOf(id).waitingFor?.reason === 'quota') t.server.faults.clear();
      },
    });
    await running;
    const { status, waitingFor, waitReportedAt } = t.backupOf(id);
    deepEqual([status, waitingFor, waitReportedAt !== undefined], ['completed', undefined, true]);
    const reported = reportedWaits();
    deepEqual(
      reported.filter((wait) => wait !== null).map((wait) => (wait as { reason: string }).reason),
      ['quota'],
    );
    equal(reported.at(-1), null);
  });

/** Time passes ten times as fast, so that a few heartbeats suffice. */
const hurry = (): void => {
  const begunMs = Date.now();
  t.nowMs = () => begunMs + (Date.now() - begunMs) * 10;
  t.timers = { ...systemTimers, now: () => systemTimers.now() * 10 };
};

test('a backup whose source does not answer while it is prepared says so until it does', async () => {
  await resetWithDocuments();
  hurry();
  let answer: (token: string) => void = () => undefined;
  const token = new Promise<string>((resolve) => {
    answer = resolve;
  });
  t.token = () => token;
  const id = await t.startBackup();
  const running = t.runBackup(id);
  while (!t.backupOf(id).waitingFor) await pause(100);
  const { phase, waitingFor } = backupData(t.backupOf(id));
  deepEqual([phase, waitingFor?.reason], ['preparing', 'database']);
  deepEqual(reportedWaits(), [waitingFor]);
  answer('owner');
  await running;
  deepEqual([t.backupOf(id).status, t.backupOf(id).waitingFor], ['completed', undefined]);
});

for (const [method, phase] of [
  ['BatchGetDocuments', 'preparing'],
  ['ListCollectionIds', 'planning'],
] as const)
  test(`a backup that hangs while it is ${phase} says so, and a cancellation ends the call`, async () => {
    await resetWithDocuments();
    hurry();
    t.server.faults.add({ method, project: t.sourceProjectId, delayMs: 900_000, times: 1_000 });
    const id = await t.startBackup();
    const running = t.runBackup(id);
    while (!t.backupOf(id).waitingFor) await pause(100);
    deepEqual([t.backupOf(id).phase, t.backupOf(id).waitingFor?.reason], [phase, 'database']);
    await commit([set(backupKey.backup(t.tenant, id), { status: 'cancelled' })]);
    await running;
    equal(t.backupOf(id).status, 'cancelled');
  });

test('a backup whose bucket does not store a part says so until it does', async () => {
  await resetWithDocuments();
  hurry();
  let isStuck = true;
  t.wrapStore = (inner) => ({
    ...bound(inner),
    upload: (name, options) => {
      const upload = inner.upload(name, options);
      const finish = async () => {
        while (isStuck) await pause(50);
        return upload.finish();
      };
      return { write: (pieces) => upload.write(pieces), abort: () => upload.abort(), finish };
    },
  });
  const id = await t.startBackup();
  const running = t.runBackup(id);
  while (!t.backupOf(id).waitingFor) await pause(100);
  equal(backupData(t.backupOf(id)).waitingFor?.reason, 'storage');
  isStuck = false;
  await running;
  deepEqual([t.backupOf(id).status, t.backupOf(id).waitingFor], ['completed', undefined]);
  deepEqual(
    reportedWaits().flatMap((wait) => (wait ? [(wait as { reason: string }).reason] : [])),
    ['storage'],
  );
});

test('a backup whose bucket is unavailable says so, also if it fails in the end', async () => {
  await resetWithDocuments();
  t.wrapStore = (inner) => ({
    ...bound(inner),
    put: async () => Promise.reject(new StorageError('unavailable', 'The store did not answer.')),
  });
  const id = await t.startBackup();
  const seen: unknown[] = [];
  await t.runBackup(id, { triesMax: 3, onError: () => seen.push(t.backupOf(id).waitingFor?.reason) });
  deepEqual([seen, t.backupOf(id).status, t.backupOf(id).waitingFor], [['storage', 'storage', 'storage'], 'failed', undefined]);
});

test('a backup gives up 5 minutes after its bucket stopped answering, and its timeline says what it tried', async () => {
  await resetWithDocuments();
  const begunMs = Date.parse('2026-03-01T10:00:00.000Z');
  let minutes = 0;
  t.nowMs = () => begunMs + minutes * 60_000;
  const problem = 'The store did not answer.';
  t.wrapStore = (inner) => ({
    ...bound(inner),
    put: async () => {
      minutes += 1;
      throw new StorageError('unavailable', problem);
    },
  });
  const id = await t.startBackup();
  const shown: unknown[] = [];
  await t.runBackup(id, { triesMax: 100, onError: () => shown.push(backupData(t.backupOf(id)).waitingFor) });
  const since = '2026-03-01T10:01:00.000Z';
  const wait = (attempts: number) => ({ reason: 'storage', since, attempts, problem, givesUpAt: '2026-03-01T10:06:00.000Z' });
  deepEqual(shown.slice(0, 5), [1, 2, 3, 4, 5].map(wait));
  const { status, error } = t.backupOf(id);
  deepEqual(
    [status, error?.code, error?.message],
    ['failed', 'STORAGE_UPLOAD_ERROR', `The bucket has not answered for 5 minutes: ${problem}`],
  );
  const failed = { kind: 'attempt_failed', reason: 'storage', message: problem };
  deepEqual(timelineOf(t.backupOf(id)).slice(2), [
    { at: since, kind: 'waiting', reason: 'storage', message: problem },
    ...[2, 3, 4, 5].map((minute) => ({ at: `2026-03-01T10:0${minute}:00.000Z`, ...failed })),
    { at: '2026-03-01T10:06:00.000Z', kind: 'ended', status: 'failed', message: error?.message },
  ]);
});
