/** A backup that was ended by another process or timed out does not complete, even if its workers still run. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { describe, test } from 'vitest';
import {
  answerBackupStep,
  cleanUpBackup,
  copyShard,
  failBackup,
  planBackup,
  prepareBackup,
  reasonFor,
  sealBackup,
} from '../../../../shared/backup/index.ts';
import { runBackupStep } from '../../../../shared/backup/steps/backup-steps.ts';
import type { ObjectStore } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, after as later, set } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { createBackupEnv } from '../../../harness/env/backup-env.ts';
import {
  assertCleanedUp,
  paths,
  resetWithDocuments,
  runFailingBackup,
  startOptions,
} from '../../../harness/env/failed-backup.ts';
import { bound, faulty } from '../../../harness/faults/faulty-store.ts';

const t = await createBackupEnv();

/** Like POST /backups/{id}/cancel. */
const cancel = async (id: string): Promise<void> => {
  const { status } = t.backupOf(id);
  const error = { code: 'CANCELLED', message: 'The backup was cancelled by a person' };
  await commit([
    set(backupKey.backup(t.tenant, id), { status: 'cancelled', phase: 'finished', error }, { expected: { status } }),
    { remove: projectKey.job(t.tenant, t.projectId) },
  ]);
};

describe('backup: one that was ended concurrently', () => {
  test('before its workflow started is cleaned up and stays cancelled', async () => {
    await resetWithDocuments(t);
    const id = await t.startBackup(startOptions);
    await cancel(id);
    await t.runBackup(id);
    deepEqual([t.backupOf(id).status, t.table.find('RUNNING#'), t.events('backup.started')], ['cancelled', [], []]);
    equal(t.table.get(organizationKey.storageDestination(t.tenant, t.destinationId))?.backupCount, 0);
  });

  test('during the copy leaves nothing, even if a worker still runs', async () => {
    await resetWithDocuments(t);
    const id = await t.startBackup(startOptions);
    await t.runBackup(id, { afterPlan: () => cancel(id) });
    const record = t.backupOf(id);
    deepEqual([record.status, record.error?.code], ['cancelled', 'CANCELLED']);
    deepEqual([[...t.store.objects.keys()], t.table.find('WORK#'), t.table.find('RUNNING#')], [[], [], []]);
  });

  test('during sealing does not complete', async () => {
    await resetWithDocuments(t);
    const id = await t.startBackup(startOptions);
    faulty(t, (operation, name) => {
      if (operation === 'put' && name === 'manifest') cancelNow(id);
      return undefined;
    });
    await t.runBackup(id);
    deepEqual([t.backupOf(id).status, t.organization.backupCount], ['cancelled', 0]);
    deepEqual([...t.store.objects.keys()], []);
  });

  test('by the reaper does not complete when its worker wakes, nor take the lock of another job', async () => {
    await resetWithDocuments(t);
    const id = await t.startBackup(startOptions);
    await prepareBackup(t.tenant, id, t.deps);
    const { shards } = await planBackup(t.tenant, id, t.deps);
    const handOver = later(new Date(), 600);
    for (const shard of shards.slice(1)) await copyShard(t.tenant, { backupId: id, number: shard, handOver, deps: t.deps });
    // Suspended in its last upload.
    const asleep = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const sleeper = {
      ...t.deps,
      openStore: async () => ({
        ...bound(t.store),
        upload: (...all: Parameters<ObjectStore['upload']>) => {
          const upload = t.store.upload(...all);
          return {
            ...upload,
            finish: async () => {
              reached.resolve();
              await asleep.promise;
              return upload.finish();
            },
          };
        },
      }),
    };
    const woken = copyShard(t.tenant, { backupId: id, number: shards[0]!, handOver, deps: sleeper });
    woken.catch(() => undefined);
    await reached.promise;
    const now = new Date();
    await failBackup(t.tenant, { backupId: id, reason: (backup) => reasonFor(backup, undefined, now), now });
    await cleanUpBackup(t.tenant, { backupId: id, deps: t.deps });
    const next = await t.startBackup(startOptions);
    asleep.resolve();
    await rejects(woken);
    await rejects(runBackupStep(t.tenant, { backupId: id, work: () => sealBackup(t.tenant, id, t.deps) }), { name: 'JobFailed' });
    // The function answers without an error of its own.
    equal(await answerBackupStep(t.tenant, { backupId: id }, () => sealBackup(t.tenant, id, t.deps)), undefined);
    await rejects(
      answerBackupStep(t.tenant, { backupId: id }, () => Promise.reject(new TypeError('a fault of ours'))),
      { name: 'TypeError' },
    );
    deepEqual([t.backupOf(id).status, t.backupOf(id).error?.code], ['failed', 'INTERNAL_ERROR']);
    deepEqual([...t.store.objects.keys()], []);
    equal(t.table.get<{ jobId: string }>(projectKey.job(t.tenant, t.projectId))?.jobId, next);
    await t.runBackup(next);
    equal(t.backupOf(next).status, 'completed');
  });

  test('a second worker of the same shard invalidates the part of the first', async () => {
    await resetWithDocuments(t);
    const id = await t.startBackup(startOptions);
    await prepareBackup(t.tenant, id, t.deps);
    const { shards } = await planBackup(t.tenant, id, t.deps);
    const handOver = later(new Date(), 600);
    const both = await Promise.allSettled(
      shards.flatMap((shard) =>
        [1, 2, 3].map(() => copyShard(t.tenant, { backupId: id, number: shard, handOver, deps: t.deps })),
      ),
    );
    ok(both.some(({ status }) => status === 'fulfilled'));
    for (const shard of shards) await copyShard(t.tenant, { backupId: id, number: shard, handOver, deps: t.deps });
    await sealBackup(t.tenant, id, t.deps);
    const { documents, manifest } = await t.readBackup(id);
    deepEqual(documents, t.contents());
    equal(t.backupOf(id).documents, paths.length);
    deepEqual([...t.store.objects.keys()].sort(), [...manifest.objects.map(({ name }) => name), 'key', 'manifest'].sort());
  });

  test('because its organization was deleted fails', async () => {
    await resetWithDocuments(t);
    const deletedAt = new Date().toISOString();
    const { id, error } = await runFailingBackup(
      t,
      {},
      {
        afterPlan: () => commit([set(organizationKey.organization(t.tenant), { deletedAt })]),
      },
    );
    equal(error.code, 'CANCELLED');
    deepEqual([[...t.store.objects.keys()], t.table.find('RUNNING#')], [[], []]);
    ok(id);
  });
});
/** Synchronous, without a call to the table. */
const cancelNow = (id: string): void => {
  const { pk, sk } = backupKey.backup(t.tenant, id);
  t.table.items.get(`${pk}\n${sk}`)!.status = { S: 'cancelled' };
};

describe('backup: the timeout', () => {
  test('fails it with BACKUP_TIMEOUT in every step', async () => {
    for (const overAfter of [0, 1, 2, 4, 8]) {
      await resetWithDocuments(t);
      let looks = 0;
      const startMs = Date.now();
      t.nowMs = () => startMs + (looks++ > overAfter ? 31 * 60_000 : 0);
      const id = await t.startBackup(startOptions);
      await t.runBackup(id);
      const record = t.backupOf(id);
      if (record.status === 'completed') continue;
      deepEqual([record.status, record.error?.code], ['failed', 'BACKUP_TIMEOUT'], `after ${overAfter}`);
      equal(record.error?.details?.timeoutMinutes, 30);
      deepEqual([[...t.store.objects.keys()], t.table.find('WORK#')], [[], []]);
    }
  });

  test('aborts a stream that sends nothing', async () => {
    await resetWithDocuments(t);
    const project = t.table.get(projectKey.project(t.tenant, t.projectId))!;
    t.table.put({ ...project, settings: { backupTimeoutMinutes: 0.01 } });
    t.server.faults.add({ method: 'RunQuery', project: t.sourceProjectId, delayMs: 5_000, times: 10 });
    const { id, error } = await runFailingBackup(t);
    equal(error.code, 'BACKUP_TIMEOUT');
    // The next backup has enough time, however slow the machine is.
    t.table.put(project);
    await assertCleanedUp(t, id);
  });
});

test('start: of two concurrent backups of one project one starts, the other gets JOB_IN_PROGRESS', async () => {
  await resetWithDocuments(t);
  const both = await Promise.allSettled([t.startBackup(startOptions), t.startBackup(startOptions)]);
  const [refusal] = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []));
  const [id] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  equal(refusal?.code, 'JOB_IN_PROGRESS');
  await t.runBackup(id!);
  equal(t.backupOf(id!).status, 'completed');
  equal(t.table.find('ORG#', 'BACKUP#').length, 1);
});
