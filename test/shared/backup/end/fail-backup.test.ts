/** A backup that ends by other hands or because its time is over completes nothing, whoever still works for it. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import {
  answerStep,
  backupKey,
  cleanUpBackup,
  copyShard,
  failBackup,
  planBackup,
  prepareBackup,
  reasonFor,
  runStep,
  sealBackup,
} from '../../../../shared/backup/index.ts';
import type { ObjectStore } from '../../../../shared/destination/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, after as later, set } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import {
  begin,
  contents,
  destinationId,
  eventsOf,
  organizationNow,
  projectId,
  readBack,
  recordOf,
  runWorkflow,
  server,
  table,
  tenant,
} from '../../../harness/env/backup-env.ts';
import { failed, leavesNothing, newSeeded, paths, startOptions } from '../../../harness/env/failed-backup.ts';
import { bound, faulty } from '../../../harness/faults/faulty-store.ts';

afterAll(() => server.stop());

/** As POST /backups/{id}/cancel does it. */
const cancel = async (id: string): Promise<void> => {
  const { status } = recordOf(id);
  const error = { code: 'CANCELLED', message: 'The backup was cancelled by a person' };
  await commit([
    set(backupKey.backup(tenant, id), { status: 'cancelled', phase: 'finished', error }, { expected: { status } }),
    { remove: projectKey.job(tenant, projectId) },
  ]);
};

describe('backup: one that was ended concurrently', () => {
  test('before its workflow started is cleaned up and stays cancelled', async () => {
    const world = await newSeeded();
    const id = await begin(world, startOptions);
    await cancel(id);
    await runWorkflow(world, id);
    deepEqual([recordOf(id).status, table.find('RUNNING#'), eventsOf('backup.started')], ['cancelled', [], []]);
    equal(table.get(organizationKey.storageDestination(tenant, destinationId))?.backupCount, 0);
  });

  test('during the copy leaves nothing, even if a worker still runs', async () => {
    const world = await newSeeded();
    const id = await begin(world, startOptions);
    await runWorkflow(world, id, { afterPlan: () => cancel(id) });
    const record = recordOf(id);
    deepEqual([record.status, record.error?.code], ['cancelled', 'CANCELLED']);
    deepEqual([[...world.store.objects.keys()], table.find('WORK#'), table.find('RUNNING#')], [[], [], []]);
  });

  test('during sealing does not complete', async () => {
    const world = await newSeeded();
    const id = await begin(world, startOptions);
    faulty(world, (operation, name) => {
      if (operation === 'put' && name === 'manifest') cancelNow(id);
      return undefined;
    });
    await runWorkflow(world, id);
    deepEqual([recordOf(id).status, organizationNow().backupCount], ['cancelled', 0]);
    deepEqual([...world.store.objects.keys()], []);
  });

  test('by the reaper does not complete when its worker wakes, nor take the lock of another job', async () => {
    const world = await newSeeded();
    const id = await begin(world, startOptions);
    await prepareBackup(tenant, id, world.engine);
    const { shards } = await planBackup(tenant, id, world.engine);
    const handOver = later(new Date(), 600);
    for (const shard of shards.slice(1)) await copyShard(tenant, id, shard, handOver, world.engine);
    // Asleep in its last upload.
    const asleep = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const sleeper = {
      ...world.engine,
      openStore: async () => ({
        ...bound(world.store),
        upload: (...all: Parameters<ObjectStore['upload']>) => {
          const upload = world.store.upload(...all);
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
    const woken = copyShard(tenant, id, shards[0]!, handOver, sleeper);
    woken.catch(() => undefined);
    await reached.promise;
    const now = new Date();
    await failBackup(tenant, id, (backup) => reasonFor(backup, undefined, now), now);
    await cleanUpBackup(tenant, id, world.engine);
    const next = await begin(world, startOptions);
    asleep.resolve();
    await rejects(woken);
    await rejects(
      runStep(tenant, id, () => sealBackup(tenant, id, world.engine)),
      { name: 'JobFailed' },
    );
    // What the function answers with it: no error of its own.
    equal(await answerStep(tenant, id, () => sealBackup(tenant, id, world.engine)), undefined);
    await rejects(
      answerStep(tenant, id, () => Promise.reject(new TypeError('a fault of ours'))),
      { name: 'TypeError' },
    );
    deepEqual([recordOf(id).status, recordOf(id).error?.code], ['failed', 'INTERNAL_ERROR']);
    deepEqual([...world.store.objects.keys()], []);
    equal(table.get<{ jobId: string }>(projectKey.job(tenant, projectId))?.jobId, next);
    await runWorkflow(world, next);
    equal(recordOf(next).status, 'completed');
  });

  test('a second worker of the same shard invalidates the part of the first', async () => {
    const world = await newSeeded();
    const id = await begin(world, startOptions);
    await prepareBackup(tenant, id, world.engine);
    const { shards } = await planBackup(tenant, id, world.engine);
    const handOver = later(new Date(), 600);
    const both = await Promise.allSettled(
      shards.flatMap((shard) => [1, 2, 3].map(() => copyShard(tenant, id, shard, handOver, world.engine))),
    );
    ok(both.some(({ status }) => status === 'fulfilled'));
    for (const shard of shards) await copyShard(tenant, id, shard, handOver, world.engine);
    await sealBackup(tenant, id, world.engine);
    const { documents, manifest } = await readBack(world, id);
    deepEqual(documents, contents(world));
    equal(recordOf(id).documents, paths.length);
    deepEqual([...world.store.objects.keys()].sort(), [...manifest.objects.map(({ name }) => name), 'key', 'manifest'].sort());
  });

  test('because its organization was deleted fails', async () => {
    const world = await newSeeded();
    const deletedAt = new Date().toISOString();
    const { id, error } = await failed(
      world,
      {},
      {
        afterPlan: () => commit([set(organizationKey.organization(tenant), { deletedAt })]),
      },
    );
    equal(error.code, 'CANCELLED');
    deepEqual([[...world.store.objects.keys()], table.find('RUNNING#')], [[], []]);
    ok(id);
  });
});
/** Without a call to the table: at this very moment. */
const cancelNow = (id: string): void => {
  const { pk, sk } = backupKey.backup(tenant, id);
  table.items.get(`${pk}\n${sk}`)!.status = { S: 'cancelled' };
};

describe('backup: the timeout', () => {
  test('fails it with BACKUP_TIMEOUT in every step', async () => {
    for (const overAfter of [0, 1, 2, 4, 8]) {
      const world = await newSeeded();
      let looks = 0;
      const startMs = Date.now();
      world.nowMs = () => startMs + (looks++ > overAfter ? 31 * 60_000 : 0);
      const id = await begin(world, startOptions);
      await runWorkflow(world, id);
      const record = recordOf(id);
      if (record.status === 'completed') continue;
      deepEqual([record.status, record.error?.code], ['failed', 'BACKUP_TIMEOUT'], `after ${overAfter}`);
      equal(record.error?.details?.timeoutMinutes, 30);
      deepEqual([[...world.store.objects.keys()], table.find('WORK#')], [[], []]);
    }
  });

  test('aborts a stream that sends nothing', async () => {
    const world = await newSeeded();
    const project = table.get(projectKey.project(tenant, projectId))!;
    table.put({ ...project, settings: { backupTimeoutMinutes: 0.01 } });
    server.faults.add({ method: 'RunQuery', project: world.sourceProjectId, delayMs: 5_000, times: 10 });
    const { id, error } = await failed(world);
    equal(error.code, 'BACKUP_TIMEOUT');
    // The next one has the time it needs, however slow the machine is.
    table.put(project);
    await leavesNothing(world, id);
  });
});

test('start: of two concurrent backups of one project one starts, the other gets JOB_IN_PROGRESS', async () => {
  const world = await newSeeded();
  const both = await Promise.allSettled([begin(world, startOptions), begin(world, startOptions)]);
  const [refusal] = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []));
  const [id] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  equal(refusal?.code, 'JOB_IN_PROGRESS');
  await runWorkflow(world, id!);
  equal(recordOf(id!).status, 'completed');
  equal(table.find('ORG#', 'BACKUP#').length, 1);
});
