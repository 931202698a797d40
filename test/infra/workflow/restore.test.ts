/** Runs the restore workflow with faults in its steps. */
import assert from 'node:assert/strict';
import { StateMachine } from 'aws-local-stepfunctions';
import { describe, test } from 'vitest';
import { restoreDefinition, restoreSteps } from '../../../infra/workflow/restore.ts';
import type { Step } from '../../../infra/workflow/step.ts';

const steps = Object.fromEntries(
  restoreSteps.map((name) => [name, { arn: `arn:aws:lambda:eu-west-1:123456789012:function:${name}`, timeoutSeconds: 60 }]),
) as Record<(typeof restoreSteps)[number], Step>;
/** As deployed: serialized, so that no parts share an object. */
const definition = JSON.stringify(restoreDefinition(steps));
const input = { organizationId: 'org_1', restoreJobId: 'rst_1', attempt: 2 };

const named = (name: string): Error => Object.assign(new Error(`${name} happened`), { name });

type Call = readonly [state: string, event: Record<string, unknown>];
type Answer = (event: Record<string, unknown>, times: number) => unknown;
const states = ['Prepare', 'Check shard', 'Seal', 'Write shard', 'Finish', 'Fail'];

/** Runs the workflow with scripted steps. */
const run = async (script: Readonly<Record<string, Answer>>) => {
  const calls: Call[] = [];
  const handler = (state: string) => async (event: unknown) => {
    const given = event as Record<string, unknown>;
    const times = calls.filter(([name, { shard }]) => name === state && shard === given.shard).length;
    calls.push([state, given]);
    return (await script[state]?.(given, times)) ?? null;
  };
  const execution = new StateMachine(JSON.parse(definition), { validationOptions: { noValidate: true } }).run(input, {
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(states.map((state) => [state, handler(state)])) as never,
      retryIntervalOverrides: Object.fromEntries(states.map((state) => [state, 0])),
    },
  });
  const outcome = await execution.result.then(
    () => 'succeeded',
    (error: Error) => `failed: ${error.name}`,
  );
  return { calls, outcome, order: calls.map(([state]) => state) };
};

const done: Answer = (event) => ({ ...event, done: true, failed: false });
const well: Readonly<Record<string, Answer>> = {
  Prepare: () => ({ shards: [0, 1], failed: false }),
  'Check shard': done,
  Seal: () => ({ writes: true, failed: false }),
  'Write shard': done,
  Finish: () => ({ failed: false }),
};
const throwing =
  (name: string, timesMax = Number.POSITIVE_INFINITY, otherwise: Answer = () => null): Answer =>
  (event, times) => {
    if (times < timesMax) throw named(name);
    return otherwise(event, times);
  };

describe('restore', () => {
  test('restore workflow: it is a valid state machine', () =>
    assert.ok(new StateMachine(JSON.parse(definition), { validationOptions: { checkArn: false } })));

  test('restore workflow: it prepares, checks every shard, seals, writes every shard and finishes', async () => {
    const { calls, order, outcome } = await run(well);
    assert.equal(outcome, 'succeeded');
    const twice = (state: string) => [state, state];
    assert.deepEqual(order, ['Prepare', ...twice('Check shard'), 'Seal', ...twice('Write shard'), 'Finish']);
    const given = (state: string) => calls.filter(([name]) => name === state).map(([, event]) => event);
    assert.deepEqual(given('Prepare'), [input]);
    for (const state of ['Check shard', 'Write shard'])
      assert.deepEqual(
        given(state),
        [0, 1].map((shard) => ({ ...input, shard })),
      );
  });

  test('restore workflow: every step gets the attempt', async () => {
    for (const script of [well, { ...well, 'Write shard': throwing('JobFailed') }])
      for (const [state, { organizationId, restoreJobId, attempt }] of (await run(script)).calls)
        assert.deepEqual({ organizationId, restoreJobId, attempt }, input, state);
  });

  test('restore workflow: nothing is written before everything is checked and sealed', async () => {
    for (const state of ['Prepare', 'Check shard', 'Seal'])
      for (const trouble of [throwing('TypeError'), throwing('JobFailed'), (event: object) => ({ ...event, failed: true })]) {
        const { order } = await run({ ...well, [state]: trouble });
        assert.ok(!order.includes('Write shard'), state);
        assert.equal(order.at(-1), 'Fail');
      }
  });

  test('restore workflow: a plan without writes is finished at once', async () => {
    const { order } = await run({ ...well, Seal: () => ({ writes: false, failed: false }) });
    assert.deepEqual(order, ['Prepare', 'Check shard', 'Check shard', 'Seal', 'Finish']);
  });

  test('restore workflow: an unfinished shard is passed to another worker with the last result', async () => {
    for (const state of ['Check shard', 'Write shard']) {
      const answer: Answer = (event, times) => ({ ...event, done: times === 2 });
      const { calls, outcome } = await run({ ...well, Prepare: () => ({ shards: [0] }), [state]: answer });
      assert.equal(outcome, 'succeeded');
      assert.deepEqual(
        calls.filter(([name]) => name === state).map(([, event]) => event),
        [{ ...input, shard: 0 }, ...Array(2).fill({ ...input, shard: 0, done: false })],
      );
    }
  });

  for (const state of ['Prepare', 'Check shard', 'Seal', 'Write shard', 'Finish']) {
    test(`restore workflow: a step ${state} that returns failed is not retried and leads to Fail, which succeeds`, async () => {
      const { calls, order, outcome } = await run({ ...well, [state]: (event) => ({ ...event, done: false, failed: true }) });
      assert.equal(outcome, 'succeeded');
      assert.equal(order.at(-1), 'Fail');
      assert.equal(calls.filter(([name, { shard }]) => name === state && (shard ?? 0) === 0).length, 1);
      const [, given] = calls.at(-1)!;
      assert.deepEqual([given.organizationId, given.restoreJobId, given.attempt], ['org_1', 'rst_1', 2]);
    });

    test(`restore workflow: a transient fault in ${state} is retried`, async () => {
      for (const fault of ['Lambda.TooManyRequestsException', 'StorageError', 'States.Timeout', 'Lambda.Unknown']) {
        const { order, outcome } = await run({ ...well, [state]: throwing(fault, 2, well[state]) });
        assert.equal(outcome, 'succeeded', fault);
        assert.equal(order.at(-1), 'Finish', fault);
      }
    });

    test(`restore workflow: a persistent fault in ${state} leads to Fail`, async () => {
      const { calls, order, outcome } = await run({ ...well, [state]: throwing('TypeError') });
      assert.equal(outcome, 'succeeded');
      assert.equal(order.at(-1), 'Fail');
      assert.ok((calls.at(-1)![1].error as { Error?: string }).Error);
    });
  }

  test('restore workflow: if Fail itself fails, the execution fails and the alarm fires', async () => {
    const { outcome } = await run({ ...well, Prepare: throwing('JobFailed'), Fail: throwing('TypeError') });
    assert.match(outcome, /^failed/);
  });
});
