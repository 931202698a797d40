import { auditNote } from '../../shared/audit/index.ts';
import { restoreTests } from '../../shared/contract/endpoints/protection/restore-tests.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { handle } from '../../shared/http/index.ts';
import {
  answerCheck as answer,
  cancelRun as cancel,
  checkPlanInput,
  createRestoreTest,
  deleteRestoreTest,
  listRestoreTests,
  listRuns as listRunsOf,
  readRestoreTest,
  readRun,
  restoreTestData,
  runData,
  startRuns,
  updateRestoreTest,
  whilePlanned,
} from '../../shared/restore-test/index.ts';

export const create = handle(
  restoreTests.create,
  async (call) => {
    const input = { ...call.body, timezone: call.body.timezone ?? call.organization.timezone };
    const { plan, secret, change } = await createRestoreTest(call, input, call.now);
    return { data: restoreTestData(plan, secret), change };
  },
  { check: checkPlanInput },
);

export const list = handle(restoreTests.list, async ({ tenant, query, page }) => {
  const { items, next } = await listRestoreTests(tenant, query, page);
  return { items: items.map((plan) => restoreTestData(plan)), next };
});

export const get = handle(restoreTests.get, async ({ tenant, params }) => ({
  data: restoreTestData(await readRestoreTest(tenant, params.restoreTestId)),
}));

export const update = handle(
  restoreTests.update,
  async (call) => {
    const before = await readRestoreTest(call.tenant, call.params.restoreTestId);
    const { plan, secret, change } = await updateRestoreTest(call, { plan: before, given: call.body, now: call.now });
    return { data: restoreTestData(plan, secret), change };
  },
  { check: checkPlanInput },
);

export const replace = handle(
  restoreTests.replace,
  async (call) => {
    const before = await readRestoreTest(call.tenant, call.params.restoreTestId);
    const input = { ...call.body, timezone: call.body.timezone ?? call.organization.timezone };
    const { plan, secret, change } = await updateRestoreTest(call, { plan: before, given: input, now: call.now });
    return { data: restoreTestData(plan, secret), change };
  },
  { check: checkPlanInput },
);

export const remove = handle(restoreTests.remove, async ({ tenant, params, now }) => ({
  message: 'The restore test was deleted. Its runs and their evidence are kept',
  change: deleteRestoreTest(tenant, await readRestoreTest(tenant, params.restoreTestId), now),
}));

export const run = handle(restoreTests.run, async ({ tenant, actor, params, now }) => {
  const plan = await readRestoreTest(tenant, params.restoreTestId);
  const createdBy = actor;
  const { runs, skipped, writes } = await startRuns(tenant, {
    plan,
    start: { trigger: 'manual', scheduledFor: null, createdBy },
    now,
  });
  const [first] = runs;
  if (!first) throw new ApiError('JOB_IN_PROGRESS', skipped[0]?.reason ?? 'There is no project to test', { skipped });
  const details = { projectId: plan.projectId, runs: runs.map(({ id }) => id), skipped };
  return {
    data: { restoreTestId: plan.id, runId: first.id, runs: runs.map(runData), skipped: [...skipped] },
    change: {
      writes: [whilePlanned(plan), ...writes],
      audit: [auditNote(tenant, { type: 'restore_test', id: plan.id, details })],
    },
  };
});

export const listRuns = handle(restoreTests.listRuns, async ({ tenant, params, query, page }) => {
  const { id: restoreTestId } = await readRestoreTest(tenant, params.restoreTestId);
  const { items, next } = await listRunsOf(tenant, { ...query, restoreTestId }, page);
  return { items: items.map(runData), next };
});

export const getRun = handle(restoreTests.getRun, async ({ tenant, params }) => ({
  data: runData(await readRun(tenant, params.runId)),
}));

export const cancelRun = handle(restoreTests.cancelRun, async ({ tenant, params, now }) => {
  const { run, change } = cancel(tenant, await readRun(tenant, params.runId), now);
  return { data: runData(run), change };
});

export const answerCheck = handle(restoreTests.answerCheck, async ({ tenant, params, body, now }) => {
  const { run, change } = answer(tenant, await readRun(tenant, params.runId), { ...body, now });
  return { data: runData(run), change };
});
