/** The target of a restore is released only when no writer is active, however the restore ends. */
import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { FirestoreDatabase } from '../../../../shared/firestore/index.ts';
import { reapJob } from '../../../../shared/job/index.ts';
import { after, commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { failRestore, failureReason } from '../../../../shared/restore/end/fail-restore.ts';
import { restoreJobs } from '../../../../shared/restore/end/restore-jobs.ts';
import { writerPrefix } from '../../../../shared/restore/model/record.ts';
import { restoreData } from '../../../../shared/restore/model/restore-view.ts';
import { answerRestoreStep } from '../../../../shared/restore/run/restore-steps.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { writeShard } from '../../../../shared/restore/write/write-shard.ts';
import { createRestoreEndEnv } from '../../../harness/env/restore/restore-end-env.ts';
import { type Fields, firstRestoreStep, type RestoreEnv } from '../../../harness/env/restore-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';
import { withVirtualTime } from '../../../harness/time/with-virtual-time.ts';

const t = await createRestoreEndEnv();

beforeEach(() => t.reset());

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const writersOf = (id: string): readonly string[] => t.workItemsOf(id).filter((sk) => sk.startsWith(writerPrefix));

interface WriterSetup {
  readonly id: string;
  readonly before: ReturnType<typeof t.fieldsOf>;
  /** Lets the target answer, and resolves when the writer has ended. */
  answer(): Promise<void>;
}

/** A writer whose request is in flight: the target has not answered yet. */
const startWriting = async (): Promise<WriterSetup> => {
  t.reset();
  withVirtualTime(t);
  await t.put({ 'a/1': { n: integer(1) } });
  const backup = await t.takeBackup();
  await t.putTarget({ 'a/1': { mine: integer(7) } });
  const before = t.fieldsOf();
  const id = await t.startRestore(backup);
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
  const [gate, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: RestoreEnv['deps'] = {
    ...t.deps,
    openSource: (_tenant, { sourceProjectId: projectId }) =>
      new (class extends FirestoreDatabase {
        override async callOnce(...all: Parameters<FirestoreDatabase['callOnce']>) {
          if (all[0] !== 'BatchWrite') return super.callOnce(...all);
          sent.resolve();
          await gate.promise;
          return super.callOnce(...all);
        }
      })({ endpoint: t.server.url, projectId, token: () => t.token(), random: () => 0.5 }),
  };
  const work = () =>
    writeShard({ tenant: t.tenant, restoreJobId: id, attempt: 1, shard: 0, handOver: after(t.clock.now(), 600) }, slow);
  const writing = answerRestoreStep({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, work);
  await sent.promise;
  const answer = async (): Promise<void> => {
    gate.resolve();
    await writing;
  };
  return { id, before, answer };
};

const fail = ({ id }: WriterSetup, sleep = t.deps.sleep): Promise<void> =>
  failRestore({
    tenant: t.tenant,
    restoreJobId: id,
    attempt: 1,
    reasonOf: (restore) => failureReason(restore),
    now: t.clock.now(),
    sleep,
  });
const clean = ({ id }: WriterSetup): Promise<void> =>
  cleanUpRestore(t.tenant, { restoreJobId: id, deps: t.deps, options: { attempt: 1 } });
const prepareCancel = async ({ id }: WriterSetup): Promise<() => Promise<void>> => {
  const actor = { type: 'user' as const, id: newId('user'), email: null };
  const acting = { tenant: t.tenant, organization: t.organization, role: 'owner' as const, actor };
  const { change } = await cancelRestore(acting, id, t.clock.now());
  return () => commit(change.writes);
};
const cancel = async (setup: WriterSetup): Promise<void> => (await prepareCancel(setup))();
const reap = ({ id }: WriterSetup): Promise<void> =>
  reapJob(
    restoreJobs(t.deps, {
      describe: async () => 'ended',
      start: async () => undefined,
      stop: async () => undefined,
    }),
    t.tenant,
    t.runningItemOf(id)!,
  );

const undo = async ({ id }: WriterSetup): Promise<string> => {
  const by = { encryption: { mode: 'kms', keyId: 'key' }, createdBy: { type: 'user', id: newId('user') } } as const;
  const { restore, change } = await undoRestore(t.tenant, { restore: t.restoreOf(id), caller: by, now: t.clock.now() });
  await commit(change.writes);
  return restore.id;
};
const resume = async ({ id }: WriterSetup): Promise<void> => {
  await commit((await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now())).change.writes);
};

const endings: Readonly<Record<string, (setup: WriterSetup) => Promise<unknown>>> = {
  'a failure of another shard': async (setup) => {
    await fail(setup);
    await clean(setup);
  },
  'the reaper, because its workflow was stopped': reap,
};

describe('writer lease: a restore that ends while a write is in flight', () => {
  for (const [ending, end] of Object.entries(endings))
    test(`by ${ending}: its target stays locked until the writer has ended, and can be undone then`, async () => {
      const setup = await startWriting();
      const { id, before } = setup;
      await end(setup);
      notEqual(t.restoreOf(id).status, 'running');
      deepEqual([t.lockOf(t.targetId)?.jobId, t.backupOf(t.restoreOf(id).backupId).restoring], [id, 1]);
      const busy = { code: 'JOB_IN_PROGRESS' };
      await rejects(undo(setup), busy);
      await rejects(resume(setup), busy);
      await setup.answer();
      deepEqual([writersOf(id), t.lockOf(t.targetId)?.jobId], [[], id]);
      await reap(setup);
      deepEqual([t.lockOf(t.targetId), t.backupOf(t.restoreOf(id).backupId).restoring], [undefined, 0]);
      const undone = await t.runRestore(await undo(setup));
      equal(undone.status, 'completed', JSON.stringify(undone.error));
      deepEqual(t.fieldsOf(), before);
    });

  test('by being cancelled: it is cancelled when the writer has ended, with what that wrote, and can be undone then', async () => {
    const setup = await startWriting();
    const { id, before } = setup;
    await cancel(setup);
    const shown = () => restoreData(t.restoreOf(id));
    await rejects(fail(setup), { name: 'WritersActive' });
    await clean(setup);
    deepEqual([shown().status, shown().cancelling, shown().completedAt], ['running', true, null]);
    deepEqual([t.lockOf(t.targetId)?.jobId, t.events('restore.failed')], [id, []]);
    await setup.answer();
    await reap(setup);
    const { status, cancelling, documentsRestored, error, undoUntil } = shown();
    deepEqual([status, cancelling, documentsRestored, error?.code], ['cancelled', false, 1, 'CANCELLED']);
    ok(undoUntil);
    const [event] = t.events('restore.failed') as unknown as { data: { restore: { documentsRestored: number } } }[];
    equal(event?.data.restore.documentsRestored, 1);
    deepEqual([t.lockOf(t.targetId), t.backupOf(t.restoreOf(id).backupId).restoring], [undefined, 0]);
    const undone = await t.runRestore(await undo(setup));
    equal(undone.status, 'completed', JSON.stringify(undone.error));
    deepEqual(t.fieldsOf(), before);
  });

  test('fails and releases its target at once if the writer stops in time', async () => {
    const setup = await startWriting();
    let isAnswered = false;
    await fail(setup, async () => {
      deepEqual([t.restoreOf(setup.id).status, t.restoreOf(setup.id).failure?.code], ['running', 'INTERNAL_ERROR']);
      if (!isAnswered) await setup.answer();
      isAnswered = true;
    });
    deepEqual([isAnswered, t.restoreOf(setup.id).status, t.lockOf(t.targetId)], [true, 'failed', undefined]);
    await resume(setup);
    const done = await t.runRestore(setup.id);
    deepEqual([done.status, done.attempt, done.written], ['completed', 2, 1]);
  });
});

describe('a restore that fails, while it waits for its writer', () => {
  /** Does something once during the wait, after which the writer has ended. */
  const failMeanwhile = async (setup: WriterSetup, act: () => Promise<unknown>): Promise<void> => {
    let isDone = false;
    await fail(setup, async () => {
      if (isDone) return;
      isDone = true;
      await setup.answer();
      await act();
    });
    ok(isDone);
  };
  const ends = () => t.events('restore.failed').map(({ data }) => (data as { restore: { status: string } }).restore.status);

  test('is ended by another process: it ends once', async () => {
    const setup = await startWriting();
    let ended: unknown;
    await failMeanwhile(setup, async () => {
      await fail(setup);
      ended = t.restoreOf(setup.id);
    });
    deepEqual([t.restoreOf(setup.id), ends()], [ended, ['failed']]);
  });

  test('is ended by another process and resumed: the new attempt is left alone', async () => {
    const setup = await startWriting();
    let resumed: unknown;
    await failMeanwhile(setup, async () => {
      await fail(setup);
      await clean(setup);
      await resume(setup);
      resumed = t.restoreOf(setup.id);
    });
    deepEqual([t.restoreOf(setup.id), ends()], [resumed, ['failed']]);
    equal(t.lockOf(t.targetId)?.jobId, setup.id);
    const done = await t.runRestore(setup.id);
    deepEqual([done.status, done.attempt], ['completed', 2]);
  });

  test('is cancelled: it ends as cancelled', async () => {
    const setup = await startWriting();
    await failMeanwhile(setup, () => cancel(setup));
    const { status, error, cancelling } = t.restoreOf(setup.id);
    deepEqual([status, error?.code, cancelling, ends()], ['cancelled', 'CANCELLED', undefined, ['cancelled']]);
    equal(t.lockOf(t.targetId), undefined);
  });

  test('is cancelled and the writer does not end: it goes on as cancelling', async () => {
    const setup = await startWriting();
    let isCancelled = false;
    const failing = fail(setup, async () => {
      if (!isCancelled) await cancel(setup);
      isCancelled = true;
    });
    await rejects(failing, { name: 'WritersActive' });
    deepEqual([t.restoreOf(setup.id).status, t.restoreOf(setup.id).cancelling, ends()], ['running', true, []]);
    await setup.answer();
  });

  test('is cancelled at the moment it ends: the cancellation is not lost', async () => {
    const setup = await startWriting();
    await setup.answer();
    const cancelNow = await prepareCancel(setup);
    let cancelling: Promise<void> | undefined;
    await failRestore({
      tenant: t.tenant,
      restoreJobId: setup.id,
      attempt: 1,
      reasonOf: (restore) => {
        // Called for the last time right before the commit.
        if (restore.failure) cancelling ??= cancelNow();
        return failureReason(restore);
      },
      now: t.clock.now(),
      sleep: async () => undefined,
    });
    await cancelling;
    deepEqual([t.restoreOf(setup.id).status, ends()], ['cancelled', ['cancelled']]);
  });
});

test('writer lease: no writer starts once the restore is about to fail', async () => {
  const setup = await startWriting();
  const { id } = setup;
  const [writer] = writersOf(id);
  let runs = 0;
  await fail(setup, async () => {
    const work = () =>
      writeShard({ tenant: t.tenant, restoreJobId: id, attempt: 1, shard: 0, handOver: after(t.clock.now(), 600) }, t.deps);
    equal(await answerRestoreStep({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, work), undefined);
    deepEqual(writersOf(id), [writer]);
    runs += 1;
    await setup.answer();
  });
  deepEqual([runs, writersOf(id), t.restoreOf(id).status], [1, [], 'failed']);
});

test('writer lease: a crashed writer keeps the target locked until its lease expires', async () => {
  await t.put({ 'a/1': { n: integer(1) } });
  const id = await t.startRestore(await t.takeBackup());
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
  const startMs = Date.now();
  t.nowMs = () => startMs;
  Object.assign(t.deps, { sleep: async () => undefined });
  // Claim, rate limit, request; then it crashes before its report.
  const machine = new CrashingMachine(4).attach(t);
  const position = { ...firstRestoreStep(), step: 'write' as const, shards: [0], remaining: [0] };
  await rejects(t.resumeRestore(id, position));
  equal(machine.isDead, true);
  new CrashingMachine().attach(t);
  const setup = { id, before: t.fieldsOf(), answer: async () => undefined };
  await fail(setup);
  await clean(setup);
  deepEqual([t.restoreOf(id).status, t.lockOf(t.targetId)?.jobId], ['failed', id]);
  // The run time of a worker and its grace period.
  t.nowMs = () => startMs + 689_000;
  await reap(setup);
  equal(t.lockOf(t.targetId)?.jobId, id);
  t.nowMs = () => startMs + 691_000;
  await reap(setup);
  equal(t.lockOf(t.targetId), undefined);
});
