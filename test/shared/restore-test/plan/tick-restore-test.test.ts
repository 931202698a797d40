/** A due plan starts its runs; one that cannot start is reported as a test that failed, once for each due time. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { signalsOfEvent } from '../../../../shared/alert/incident/signals-of-event.ts';
import type { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, create, get, newId } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { watchDue } from '../../../../shared/recurring/index.ts';
import {
  deleteRestoreTest,
  type RestoreTestRecord,
  type RunRecord,
  restoreTestKind,
  syncRestoreTest,
  tickRestoreTest,
} from '../../../../shared/restore-test/index.ts';
import { restoreTestKey } from '../../../../shared/restore-test/model/record.ts';
import { createRestoreTestEnv } from '../../../harness/env/restore/restore-test-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreTestEnv();
const due = new Date('2026-03-01T12:00:00.000Z');
const at = (minutes: number): void => {
  const nowMs = due.getTime() + minutes * 60_000;
  t.nowMs = () => nowMs;
};
beforeEach(() => {
  t.reset();
  at(0);
});

const duePlan = async (change: Partial<RestoreTestRecord> = {}): Promise<RestoreTestRecord> => {
  const plan = t.plan({ nextRunAt: due.toISOString(), ...change });
  await commit([create(plan)]);
  return plan;
};
const tick = (plan: RestoreTestRecord) => tickRestoreTest(t.tenant, { restoreTestId: plan.id, at: due, time: t.clock });
const planNow = async ({ id }: RestoreTestRecord) => (await get(restoreTestKey.plan(t.tenant, id))) as RestoreTestRecord;
const runs = () => t.table.find('ORG#', 'RESTORETESTRUN#') as unknown as readonly RunRecord[];
const failures = () => t.events('restore_test.failed') as unknown as readonly FailedEvent[];
interface FailedEvent {
  readonly id: string;
  readonly type: 'restore_test.failed';
  readonly timestamp: string;
  readonly data: ReturnType<(typeof events)['restore_test.failed']['parse']>;
}
const addProjects = async (count: number): Promise<void> => {
  const project = await get(projectKey.project(t.tenant, t.projectId));
  for (let n = 0; n < count; n++) {
    const id = newId('project');
    t.table.put({ ...project, ...projectKey.project(t.tenant, id), id, name: `Project ${n}`, sourceProjectId: `more-${n}` });
  }
};
const removeProject = (id: string): void => {
  const { pk, sk } = projectKey.project(t.tenant, id);
  t.table.items.delete(`${pk}\n${sk}`);
};

test('tick: a plan whose target was disconnected fails with an event and the incident of its project', async () => {
  const plan = await duePlan({ target: { projectId: newId('project') } });
  await tick(plan);
  await tick(plan);
  const [run] = runs();
  const [event, second] = failures();
  equal(second, undefined);
  ok(run && event);
  deepEqual(
    [run.status, run.phase, run.error?.code, run.evidence, run.startedAt, run.scheduledFor, run.target?.projectId],
    ['failed', 'finished', 'PROJECT_NOT_FOUND', null, null, due.toISOString(), plan.target?.projectId],
  );
  match(run.error?.message ?? '', /target of the restore test was disconnected/);
  deepEqual([event.data.restoreTest.id, event.data.restoreTest.error.code], [run.id, 'PROJECT_NOT_FOUND']);
  const [signal] = signalsOfEvent(event).signals;
  deepEqual([signal?.kind, signal?.state], ['restore_test_failed', 'failed']);
  const { lastOutcome, nextRunAt, lastRunAt } = await planNow(plan);
  deepEqual(
    [lastOutcome?.status, lastOutcome?.runId, nextRunAt, lastRunAt],
    ['failed', run.id, '2026-03-01T13:00:00.000Z', due.toISOString()],
  );
  equal(t.table.find('RUNNING#RESTORETEST').length, 0);
  equal(t.table.find('AUDIT#').filter(({ action }) => action === 'restore_test.missed').length, 1);
});

test('tick: a plan for more projects than the limit is reported once, for the first of them that is not its target', async () => {
  await addProjects(95);
  const ids = t.table.find('ORG#', 'PROJECT#').map(({ id }) => id as string);
  const [first = '', second = ''] = ids.toSorted();
  for (const [target, reported] of [
    [null, first],
    [{ projectId: first }, second],
  ] as const) {
    const before = failures().length;
    const plan = await duePlan({ projectId: null, target });
    await tick(plan);
    await tick(plan);
    const event = failures().find(({ data }) => data.restoreTest.restoreTestId === plan.id);
    deepEqual([failures().length - before, event?.data.restoreTest.error.code], [1, 'CONFLICT']);
    equal(event?.data.project.id, reported);
    match(event?.data.restoreTest.error.message ?? '', /tests at most 30; this organization has 97/);
    const { lastOutcome } = await planNow(plan);
    deepEqual(
      [lastOutcome?.error?.message, lastOutcome?.runId],
      [event?.data.restoreTest.error.message, event?.data.restoreTest.id],
    );
  }
  equal(runs().length, 2);
});

test('tick: a plan that cannot start is reported for each project within the limit, although the worker dies before', async () => {
  await addProjects(28);
  const plan = await duePlan({ projectId: null, target: { projectId: newId('project') } });
  new CrashingMachine(1, 'before').attach(t);
  await rejects(tick(plan));
  equal(failures().length, 0);
  new CrashingMachine().attach(t);
  await tick(plan);
  deepEqual([runs().length, new Set(failures().map(({ data }) => data.project.id)).size, failures().length], [30, 30, 30]);
});

test('tick: a due time that was missed by more than an hour fails with SCHEDULE_MISSED, and the next one starts', async () => {
  const plan = await duePlan({ cron: '0 0 * * *', nextRunAt: '2026-02-28T00:00:00.000Z' });
  await tick(plan);
  const [event] = failures();
  deepEqual([failures().length, event?.data.restoreTest.error.code], [1, 'SCHEDULE_MISSED']);
  deepEqual(event?.data.restoreTest.error.details, { runs: 2 });
  const { lastOutcome, nextRunAt } = await planNow(plan);
  deepEqual([lastOutcome?.status, nextRunAt], ['missed', '2026-03-02T00:00:00.000Z']);
});

test('tick: without any project but the target nothing can be tested, and that is said', async () => {
  removeProject(t.projectId);
  const plan = await duePlan({ projectId: null, target: { projectId: t.targetId } });
  await tick(plan);
  deepEqual([failures().length, failures()[0]?.data.project.id], [1, t.targetId]);
  removeProject(t.targetId);
  const empty = await duePlan({ projectId: null });
  await tick(empty);
  deepEqual([(await planNow(empty)).lastOutcome?.error?.code, failures().length], ['PROJECT_NOT_FOUND', 1]);
});

test('tick: a run that has not ended counts for the next due time; it is no failure', async () => {
  const plan = await duePlan();
  await tick(plan);
  deepEqual([runs().length, failures().length], [1, 0]);
  at(60);
  await tickRestoreTest(t.tenant, { restoreTestId: plan.id, at: t.clock.now(), time: t.clock });
  deepEqual([runs().length, failures().length, (await planNow(plan)).nextRunAt], [1, 0, '2026-03-01T14:00:00.000Z']);
});

const noEntries = { put: async () => undefined, remove: async () => undefined };

for (const what of ['plan', 'organization', 'project'] as const)
  test(`sync: entries created while the ${what} is deleted are removed`, async () => {
    const plan = await duePlan({ projectId: t.projectId });
    const entries = new Set<string>();
    const key = {
      plan: restoreTestKey.plan(t.tenant, plan.id),
      organization: organizationKey.organization(t.tenant),
      project: projectKey.project(t.tenant, t.projectId),
    }[what];
    await syncRestoreTest(t.tenant, plan.id, {
      time: t.clock,
      entries: {
        put: async ({ name }) => {
          entries.add(name);
          const found = t.table.get(key);
          if (what === 'organization') t.table.put({ ...found, ...key, deletedAt: due.toISOString() });
          else t.table.items.delete(`${key.pk}\n${key.sk}`);
        },
        remove: async (name) => void entries.delete(name),
      },
    });
    equal(entries.size, 0);
  });

test('watch: a plan whose tick did not arrive is ticked and synchronised; an outdated due item is deleted', async () => {
  const plan = await duePlan();
  const item = (moment: string) => ({
    pk: 'DUE#RESTORETEST',
    sk: `${moment}#${t.tenant.organizationId}#${plan.id}`,
    organizationId: t.tenant.organizationId,
    restoreTestId: plan.id,
    at: moment,
  });
  const earlier = item('2026-03-01T11:00:00.000Z');
  for (const one of [earlier, item(due.toISOString())]) t.table.put(one);
  at(4);
  const sent: unknown[] = [];
  const send = async (messages: readonly { readonly body: string }[]) => {
    sent.push(...messages.map(({ body }) => JSON.parse(body).task));
  };
  const watched = await watchDue(restoreTestKind, { tenantOf: () => t.tenant, now: t.clock.now(), send });
  deepEqual(watched, { due: 2, ticked: 1 });
  deepEqual(sent, [
    { kind: 'run-restore-test', restoreTestId: plan.id, at: due.toISOString() },
    { kind: 'sync-restore-test', restoreTestId: plan.id },
  ]);
  deepEqual(
    t.table.find('DUE#RESTORETEST').map((one) => one.at),
    [due.toISOString()],
  );
});

test('delete: only runs that have not ended are read and cancelled, however many have ended', async () => {
  const plan = await duePlan();
  const runId = await t.begin({ id: plan.id, ...restoreTestKey.plan(t.tenant, newId('restoreTest')) });
  const ended = t.runOf(runId);
  for (let n = 0; n < 300; n++) {
    const id = newId('restoreTestRun');
    t.table.put({ ...ended, ...restoreTestKey.run(t.tenant, id), id, status: 'passed' });
  }
  const { writes } = deleteRestoreTest(t.tenant, plan, t.clock.now());
  await commit(writes);
  t.table.pageMax = 20;
  let reads = 0;
  t.table.onRead = () => {
    reads += 1;
    return undefined;
  };
  await syncRestoreTest(t.tenant, plan.id, { time: t.clock, entries: noEntries });
  t.table.onRead = () => undefined;
  t.table.pageMax = 1_000;
  ok(reads <= 5, `${reads} reads`);
  deepEqual(
    runs().flatMap(({ id, cancelRequestedAt }) => (cancelRequestedAt === undefined ? [] : [id])),
    [runId],
  );
});
