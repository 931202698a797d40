/** Jobs and the deletion of their organization. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import type { ApiError } from '../../../shared/contract/errors.ts';
import type { CallerContext } from '../../../shared/organization/index.ts';
import { deleteOrganization, stopJobs } from '../../../shared/organization-deletion/index.ts';
import { after, commit, iso, newId, StaleReadError } from '../../../shared/platform/index.ts';
import { extendUndo, failRestore, failureReason, type RestoreRecord, restoreKey } from '../../../shared/restore/index.ts';
import { resumeRestore } from '../../../shared/restore/start/resume-restore.ts';
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import { createRestoreTestEnv } from '../../harness/env/restore/restore-test-env.ts';
import { firstRestoreStep } from '../../harness/env/restore-env.ts';

const t = await createRestoreTestEnv();
const ownerId = newId('user');
const origin = { ip: '198.51.100.7', userAgent: 'test', requestId: 'request-1' };
let backup: BackupRecord;

beforeEach(async () => {
  t.reset();
  t.table.put({ ...t.organization, ownerId });
  await t.put({ 'a/1': {}, 'a/2': {}, 'a/3': {} });
  backup = await t.takeBackup();
});

const caller = (): CallerContext => {
  const actor = { type: 'user', id: ownerId, email: 'ann@example.com' } as const;
  return { tenant: t.tenant, organization: t.organization, role: 'owner', actor };
};
const stop = (cancelJobs: boolean, sleep: () => Promise<unknown> = async () => undefined) =>
  stopJobs(caller(), { cancelJobs, origin, since: t.clock.now(), now: () => t.clock.now(), sleep });
/** The transaction of a deletion that has found no running job. */
const deletion = async (): Promise<() => Promise<void>> => {
  const { organization } = await stop(false);
  const { change } = deleteOrganization({ ...caller(), organization }, { confirmName: 'Acme' }, t.clock.now());
  return () => commit(change.writes);
};

/** A restore that has written all documents, and whose writers have not been told to stop. */
const writingRestore = async (): Promise<string> => {
  const id = await t.startRestore(backup);
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'write' });
  return id;
};
const endRestore = (restoreJobId: string): Promise<void> =>
  failRestore({ tenant: t.tenant, restoreJobId, attempt: 1, reasonOf: failureReason, now: t.clock.now(), sleep: async () => {} });
const audited = (action: string) => t.table.find('AUDIT#', '').filter((entry) => entry.action === action);

const starts: Readonly<Record<string, () => Promise<string>>> = {
  backup: () => t.startBackup(),
  restore: () => t.startRestore(backup),
  'restore test': () => t.begin({ target: { projectId: t.targetId } }),
};

for (const [kind, start] of Object.entries(starts)) {
  test(`a deletion is refused while a ${kind} has not ended, and names it`, async () => {
    const id = await start();
    const jobs = [{ kind, id, status: 'pending', cancelling: false, documentsWritten: 0 }];
    await rejects(stop(false), ({ code, details }: ApiError) => {
      const named = (details!.jobs as { projectId: string }[]).map(({ projectId, ...job }) => {
        ok(projectId);
        return job;
      });
      deepEqual([code, named], ['JOB_IN_PROGRESS', jobs]);
      return true;
    });
  });

  test(`a ${kind} that starts between the look for jobs and the deletion fails the deletion`, async () => {
    const remove = await deletion();
    await start();
    await rejects(remove(), StaleReadError);
    equal(t.organization.deletedAt, undefined);
    // The handler runs again, and sees it.
    await rejects(stop(false), { code: 'JOB_IN_PROGRESS' });
  });

  test(`no ${kind} starts after the deletion`, async () => {
    await (await deletion())();
    await rejects(start(), { code: 'ORGANIZATION_NOT_FOUND' });
  });
}

test('a resumed restore fails a deletion that has not seen it', async () => {
  const id = await writingRestore();
  await stop(true, () => endRestore(id));
  const remove = await deletion();
  const before = t.organization.jobsStarted ?? 0;
  await commit((await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now())).change.writes);
  equal(t.organization.jobsStarted, before + 1);
  await rejects(remove(), StaleReadError);
});

test('cancelJobs cancels each job once, in the name of the caller, and waits until the writers have stopped', async () => {
  const restoreId = await writingRestore();
  const backupId = await t.startBackup();
  let looks = 0;
  const { cancelled } = await stop(true, async () => {
    equal(t.restoreOf(restoreId).status, 'running');
    equal(t.restoreOf(restoreId).cancelling, true);
    if (++looks === 3) await endRestore(restoreId);
  });
  equal(looks, 3);
  deepEqual(
    cancelled.map(({ kind, id, status, documentsWritten }) => [kind, id, status, documentsWritten]),
    [
      ['restore', restoreId, 'cancelled', 3],
      ['backup', backupId, 'cancelled', 0],
    ],
  );
  for (const action of ['restore.cancelled', 'backup.cancelled'])
    deepEqual(
      audited(action).map(({ actor }) => (actor as { id: string }).id),
      [ownerId],
    );
});

test('writers that do not stop in time are named, and what they wrote is told by the call after they have', async () => {
  const id = await writingRestore();
  let passed = 0;
  t.nowMs = () => Date.now() + passed;
  await rejects(
    stop(true, async () => {
      passed += 5_000;
    }),
    ({ code, message, details }: ApiError) => {
      const [job] = details!.jobs as { id: string; cancelling: boolean }[];
      deepEqual([code, job?.id, job?.cancelling], ['JOB_IN_PROGRESS', id, true]);
      return message.endsWith('Repeat the call');
    },
  );
  await endRestore(id);
  const told = (await stop(true)).cancelled;
  deepEqual(
    told.map((job) => [job.id, job.status, job.documentsWritten]),
    [[id, 'cancelled', 3]],
  );
  deepEqual((await stop(false)).cancelled, []);
  // Only of the last quarter of an hour.
  passed += 1_000_000;
  deepEqual((await stop(true)).cancelled, []);
});

test('a restore that has failed is waited for until its writers have stopped, and is not cancelled', async () => {
  const id = await writingRestore();
  const lease = restoreKey.writer(t.tenant, id, { number: 0, run: 9 });
  t.table.put({ ...lease, until: iso(after(t.clock.now(), 600)) });
  await endRestore(id);
  equal(t.restoreOf(id).status, 'failed');
  await rejects(stop(false), ({ code, details }: ApiError) => {
    const [job] = details!.jobs as { id: string; status: string; documentsWritten: number }[];
    deepEqual([code, job?.id, job?.status, job?.documentsWritten], ['JOB_IN_PROGRESS', id, 'failed', 3]);
    return true;
  });
  let looks = 0;
  const { cancelled } = await stop(true, async () => {
    if (++looks === 2) t.table.items.delete(`${lease.pk}\n${lease.sk}`);
  });
  equal(looks, 2);
  deepEqual(
    cancelled.map((job) => [job.id, job.status, job.documentsWritten]),
    [[id, 'failed', 3]],
  );
  deepEqual(audited('restore.cancelled'), []);
  await (await deletion())();
});

test('jobs that cannot all be cancelled in time are named, and the next call cancels the rest', async () => {
  const restoreId = await t.startRestore(backup);
  const backupId = await t.startBackup();
  let passed = 0;
  t.nowMs = () => Date.now() + passed;
  t.table.onWrite = (when) => {
    if (when === 'after') passed += 15_000;
    return undefined;
  };
  await rejects(stop(true), ({ code, message, details }: ApiError) => {
    const ids = (details!.jobs as { id: string }[]).map(({ id }) => id);
    deepEqual([code, ids], ['JOB_IN_PROGRESS', [backupId]]);
    return message.endsWith('They are being cancelled, and not all have stopped yet. Repeat the call');
  });
  deepEqual([t.restoreOf(restoreId).status, t.backupOf(backupId).status], ['cancelled', 'pending']);
  t.table.onWrite = () => undefined;
  await stop(true);
  equal(t.backupOf(backupId).status, 'cancelled');
});

test('a job that starts while the others stop is cancelled, too', async () => {
  await t.startBackup();
  const started: string[] = [];
  const { cancelled } = await stop(true, async () => {
    if (started.length === 0) started.push(await t.startBackup());
  });
  equal(cancelled.length, 2);
  equal(t.backupOf(started[0]!).status, 'cancelled');
});

test('a restore test removes what it wrote before it counts as stopped, also with a restore that starts meanwhile', async () => {
  const runId = await t.begin({ target: { projectId: t.targetId } });
  for (let n = 0; n < 20 && t.runOf(runId).restoreJobId === null; n++)
    if ((await t.advance(runId)) === 'wait' && t.runOf(runId).restoreJobId === null) await t.runJobs(runId);
  await t.resumeRestore(t.runOf(runId).restoreJobId!, firstRestoreStep(), { upTo: 'write' });
  equal(t.documentsIn().size, 3);
  const { cancelled } = await stop(true, async () => {
    if ((await t.advance(runId)) === 'wait') await t.runJobs(runId);
  });
  equal(t.documentsIn().size, 0);
  equal(t.runOf(runId).removal?.status, 'verified');
  deepEqual(
    cancelled.map(({ kind, id, status, documentsWritten }) => [kind, id, status, documentsWritten]),
    [['restore test', runId, 'cancelled', 0]],
  );
});

test('what restores wrote can be undone until the recovery deadline, however many there are', async () => {
  const restore = await t.restore(backup);
  const safety = t.backupOf(restore.safetyBackupId!);
  const now = t.clock.now();
  const deadline = iso(after(now, 30 * 86_400));
  const more = Array.from({ length: 40 }, (): RestoreRecord => {
    const [id, safetyBackupId] = [newId('restore', now), newId('backup', now)];
    t.table.put({ ...safety, id: safetyBackupId, sk: safety.sk.replace(safety.id, safetyBackupId), safetyOf: id });
    const record = { ...restore, ...restoreKey.restore(t.tenant, id), id, safetyBackupId };
    t.table.put(record);
    return record;
  });
  const over = more[0]!;
  t.table.put({ ...over, undoUntil: iso(after(now, -1)) });

  await commit(await extendUndo(t.tenant, deadline, now));
  for (const { id, safetyBackupId } of [restore, ...more.slice(1)]) {
    equal(t.restoreOf(id).undoUntil, deadline);
    equal(t.backupOf(safetyBackupId!).expiresAt, deadline);
  }
  ok(t.restoreOf(over.id).undoUntil! < iso(now));
  // A second deletion, after a recovery, does not shorten it.
  deepEqual(await extendUndo(t.tenant, iso(now), now), []);
});

test('a deleted or missing organization has nothing to stop', async () => {
  t.table.put({ ...t.organization, deletedAt: iso(t.clock.now()) });
  await rejects(stop(true), { code: 'ORGANIZATION_NOT_FOUND' });
  t.table.items.delete(`${t.organization.pk}\n${t.organization.sk}`);
  await rejects(stop(true), { code: 'ORGANIZATION_NOT_FOUND' });
});
