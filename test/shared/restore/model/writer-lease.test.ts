/** The target of a restore is released only when no writer is active, however the restore ends. */
import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { FirestoreDatabase } from '../../../../shared/firestore/index.ts';
import { reapJob } from '../../../../shared/job/index.ts';
import { after, commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { failRestore, failureReason } from '../../../../shared/restore/end/fail-restore.ts';
import { restoreJobs } from '../../../../shared/restore/end/restore-jobs.ts';
import { writerPrefix } from '../../../../shared/restore/model/record.ts';
import { answerStep } from '../../../../shared/restore/model/restore-steps.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { writeShard } from '../../../../shared/restore/write/write-shard.ts';
import { lockOf, runningItemOf, workItemsOf } from '../../../harness/env/restore/restore-end-env.ts';
import {
  atStart,
  backupOf,
  createRestoreEnv,
  type Fields,
  fieldsOf,
  organizationNow,
  put,
  putTarget,
  type RestoreEnv,
  restoreOf,
  resumeWorkflow,
  runRestore,
  server,
  startTestRestore,
  takeBackup,
  targetId,
  tenant,
} from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';
import { withVirtualTime } from '../../../harness/time/with-virtual-time.ts';

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const writersOf = (id: string): readonly string[] => workItemsOf(id).filter((sk) => sk.startsWith(writerPrefix));

interface WriterSetup {
  readonly world: RestoreEnv;
  readonly id: string;
  readonly before: ReturnType<typeof fieldsOf>;
  /** Lets the target answer, and resolves when the writer has ended. */
  answer(): Promise<void>;
}

/** A writer whose request is under way: the target takes its time. */
const sceneOf = async (): Promise<WriterSetup> => {
  const world = createRestoreEnv();
  withVirtualTime(world);
  await put(world, { 'a/1': { n: integer(1) } });
  const backup = await takeBackup(world);
  await putTarget(world, { 'a/1': { mine: integer(7) } });
  const before = fieldsOf(world);
  const id = await startTestRestore(world, backup);
  await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
  const [gate, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: RestoreEnv['engine'] = {
    ...world.engine,
    openSource: (_tenant, { sourceProjectId: projectId }) =>
      new (class extends FirestoreDatabase {
        override async callOnce(...all: Parameters<FirestoreDatabase['callOnce']>) {
          if (all[0] !== 'BatchWrite') return super.callOnce(...all);
          sent.resolve();
          await gate.promise;
          return super.callOnce(...all);
        }
      })({ endpoint: server.url, projectId, token: () => world.token(), random: () => 0.5 }),
  };
  const work = () =>
    writeShard({ tenant, restoreJobId: id, attempt: 1, shard: 0, handOver: after(world.engine.clock.now(), 600) }, slow);
  const writing = answerStep({ tenant, restoreJobId: id, attempt: 1 }, work);
  await sent.promise;
  const answer = async (): Promise<void> => {
    gate.resolve();
    await writing;
  };
  return { world, id, before, answer };
};

const fail = ({ world, id }: WriterSetup, sleep = world.engine.sleep): Promise<void> =>
  failRestore({
    tenant,
    restoreJobId: id,
    attempt: 1,
    reasonOf: (restore) => failureReason(restore),
    now: world.engine.clock.now(),
    sleep,
  });
const clean = ({ world, id }: WriterSetup): Promise<void> => cleanUpRestore(tenant, id, world.engine, { attempt: 1 });
const cancel = async ({ world, id }: WriterSetup): Promise<void> => {
  const actor = { type: 'user' as const, id: newId('user'), email: null };
  const acting = { tenant, organization: organizationNow(), role: 'owner' as const, actor };
  await commit((await cancelRestore(acting, id, world.engine.clock.now())).change.writes);
};
const reap = ({ world, id }: WriterSetup): Promise<void> =>
  reapJob(
    restoreJobs(world.engine, {
      describe: async () => 'ended',
      start: async () => undefined,
      stop: async () => undefined,
    }),
    tenant,
    runningItemOf(id)!,
  );

const undo = async ({ world, id }: WriterSetup): Promise<string> => {
  const by = { encryption: { mode: 'kms', keyId: 'key' }, createdBy: { type: 'user', id: newId('user') } } as const;
  const { restore, change } = await undoRestore(tenant, restoreOf(id), by, world.engine.clock.now());
  await commit(change.writes);
  return restore.id;
};
const resume = async ({ world, id }: WriterSetup): Promise<void> => {
  await commit((await resumeRestore(tenant, restoreOf(id), world.engine.clock.now())).change.writes);
};

const endings: Readonly<Record<string, (setup: WriterSetup) => Promise<unknown>>> = {
  'a failure of another shard': async (setup) => {
    await fail(setup);
    await clean(setup);
  },
  'the reaper, because its workflow was stopped': reap,
  'being cancelled': async (setup) => {
    await cancel(setup);
    await clean(setup);
  },
};

describe('writer lease: a restore that ends while a write is in flight', () => {
  for (const [ending, end] of Object.entries(endings))
    test(`by ${ending}: its target stays locked until the writer has ended, and can be undone then`, async () => {
      const setup = await sceneOf();
      const { world, id, before } = setup;
      await end(setup);
      notEqual(restoreOf(id).status, 'running');
      deepEqual([lockOf(targetId)?.jobId, backupOf(restoreOf(id).backupId).restoring], [id, 1]);
      const busy = { code: 'JOB_IN_PROGRESS' };
      await rejects(undo(setup), busy);
      await rejects(resume(setup), busy);
      await setup.answer();
      deepEqual([writersOf(id), lockOf(targetId)?.jobId], [[], id]);
      await reap(setup);
      deepEqual([lockOf(targetId), backupOf(restoreOf(id).backupId).restoring], [undefined, 0]);
      const undone = await runRestore(world, await undo(setup));
      equal(undone.status, 'completed', JSON.stringify(undone.error));
      deepEqual(fieldsOf(world), before);
    });

  test('fails and releases its target at once if the writer stops in time', async () => {
    const setup = await sceneOf();
    let isAnswered = false;
    await fail(setup, async () => {
      deepEqual([restoreOf(setup.id).status, restoreOf(setup.id).failure?.code], ['running', 'INTERNAL_ERROR']);
      if (!isAnswered) await setup.answer();
      isAnswered = true;
    });
    deepEqual([isAnswered, restoreOf(setup.id).status, lockOf(targetId)], [true, 'failed', undefined]);
    await resume(setup);
    const done = await runRestore(setup.world, setup.id);
    deepEqual([done.status, done.attempt, done.written], ['completed', 2, 1]);
  });
});

test('writer lease: no writer starts once the restore is about to fail', async () => {
  const setup = await sceneOf();
  const { world, id } = setup;
  const [writer] = writersOf(id);
  let runs = 0;
  await fail(setup, async () => {
    const work = () =>
      writeShard(
        { tenant, restoreJobId: id, attempt: 1, shard: 0, handOver: after(world.engine.clock.now(), 600) },
        world.engine,
      );
    equal(await answerStep({ tenant, restoreJobId: id, attempt: 1 }, work), undefined);
    deepEqual(writersOf(id), [writer]);
    runs += 1;
    await setup.answer();
  });
  deepEqual([runs, writersOf(id), restoreOf(id).status], [1, [], 'failed']);
});

test('writer lease: a crashed writer keeps the target locked until its lease expires', async () => {
  const world = createRestoreEnv();
  await put(world, { 'a/1': { n: integer(1) } });
  const id = await startTestRestore(world, await takeBackup(world));
  await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
  const startMs = Date.now();
  world.nowMs = () => startMs;
  Object.assign(world.engine, { sleep: async () => undefined });
  // Claim, rate limit, request; then it crashes before its report.
  const machine = new CrashingMachine(4).attach(world);
  const position = { ...atStart(), step: 'write' as const, shards: [0], remaining: [0] };
  await rejects(resumeWorkflow(world, id, position));
  equal(machine.isDead, true);
  new CrashingMachine().attach(world);
  const setup = { world, id, before: fieldsOf(world), answer: async () => undefined };
  await fail(setup);
  await clean(setup);
  deepEqual([restoreOf(id).status, lockOf(targetId)?.jobId], ['failed', id]);
  // The time of a worker, and that in which it was to have ended.
  world.nowMs = () => startMs + 689_000;
  await reap(setup);
  equal(lockOf(targetId)?.jobId, id);
  world.nowMs = () => startMs + 691_000;
  await reap(setup);
  equal(lockOf(targetId), undefined);
});
