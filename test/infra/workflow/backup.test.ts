/** Runs the backup workflow with faults in its steps. */
import assert from 'node:assert/strict';
import { StateMachine } from 'aws-local-stepfunctions';
import { describe, test } from 'vitest';
import { backupDefinition, backupSteps } from '../../../infra/workflow/backup.ts';
import type { Step } from '../../../infra/workflow/step.ts';

const steps = Object.fromEntries(
  backupSteps.map((name) => [name, { arn: `arn:aws:lambda:eu-west-1:123456789012:function:${name}`, timeoutSeconds: 60 }]),
) as Record<(typeof backupSteps)[number], Step>;
/** As deployed: serialized, so that no parts share an object. */
const definition = JSON.stringify(backupDefinition(steps));
const input = { organizationId: 'org_1', backupId: 'bkp_1' };

const named = (name: string): Error => Object.assign(new Error(`${name} happened`), { name });

type Call = readonly [state: string, event: Record<string, unknown>];
type Answer = (event: Record<string, unknown>, times: number) => unknown;

/** Runs the workflow with scripted steps; retries do not wait. */
const run = async (script: Readonly<Record<string, Answer>>) => {
  const calls: Call[] = [];
  const handler = (state: string) => async (event: unknown) => {
    const given = event as Record<string, unknown>;
    const times = calls.filter(([name, { shard }]) => name === state && shard === given.shard).length;
    calls.push([state, given]);
    return (await script[state]?.(given, times)) ?? null;
  };
  const states = ['Prepare', 'Plan', 'Copy shard', 'Seal', 'Fail'];
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

const plan: Answer = () => ({ shards: [0, 1, 2] });
const copied: Answer = (event) => ({ ...event, done: true });
const throwing =
  (name: string, timesMax = Number.POSITIVE_INFINITY, otherwise: Answer = () => null): Answer =>
  (event, times) => {
    if (times < timesMax) throw named(name);
    return otherwise(event, times);
  };

describe('backup', () => {
  test('backup workflow: it is a valid state machine', () =>
    assert.ok(new StateMachine(JSON.parse(definition), { validationOptions: { checkArn: false } })));

  test('backup workflow: it prepares, plans, copies every shard by number, and seals', async () => {
    const { calls, order, outcome } = await run({ Plan: plan, 'Copy shard': copied });
    assert.equal(outcome, 'succeeded');
    assert.deepEqual(order, ['Prepare', 'Plan', 'Copy shard', 'Copy shard', 'Copy shard', 'Seal']);
    const given = (state: string) => calls.filter(([name]) => name === state).map(([, event]) => event);
    assert.deepEqual(given('Prepare'), [input]);
    assert.deepEqual(
      given('Copy shard'),
      [0, 1, 2].map((shard) => ({ ...input, shard })),
    );
    const [sealed] = given('Seal');
    assert.deepEqual([sealed?.organizationId, sealed?.backupId], ['org_1', 'bkp_1']);
  });

  test('backup workflow: an unfinished shard is passed to another worker with the last result', async () => {
    const answer: Answer = (event, times) => ({ ...event, done: times === 2 });
    const { calls, outcome } = await run({ Plan: () => ({ shards: [0] }), 'Copy shard': answer });
    assert.equal(outcome, 'succeeded');
    assert.deepEqual(
      calls.filter(([state]) => state === 'Copy shard').map(([, event]) => event),
      [{ ...input, shard: 0 }, ...Array(2).fill({ ...input, shard: 0, done: false })],
    );
  });

  test('backup workflow: a backup without shards is sealed', async () => {
    const { order, outcome } = await run({ Plan: () => ({ shards: [] }) });
    assert.equal(outcome, 'succeeded');
    assert.deepEqual(order, ['Prepare', 'Plan', 'Seal']);
  });

  test('backup workflow: a backup that is to be planned again is copied and sealed again', async () => {
    const { order, outcome } = await run({
      Plan: (_, times) => ({ shards: times === 0 ? [0, 1] : [0] }),
      'Copy shard': copied,
      Seal: (_, times) => ({ failed: false, again: times === 0 }),
    });
    assert.equal(outcome, 'succeeded');
    assert.deepEqual(order, ['Prepare', 'Plan', 'Copy shard', 'Copy shard', 'Seal', 'Plan', 'Copy shard', 'Seal']);
  });

  for (const state of ['Prepare', 'Plan', 'Copy shard', 'Seal']) {
    const script = { Plan: plan, 'Copy shard': copied };

    test(`backup workflow: a permanent failure in ${state} is not retried and leads to Fail, which succeeds`, async () => {
      const { calls, order, outcome } = await run({ ...script, [state]: throwing('JobFailed') });
      assert.equal(outcome, 'succeeded');
      assert.equal(order.at(-1), 'Fail');
      assert.equal(calls.filter(([name, { shard }]) => name === state && (shard ?? 0) === 0).length, 1);
      const [, given] = calls.at(-1)!;
      assert.ok((given.error as { Error?: string }).Error);
      assert.equal(given.backupId, 'bkp_1');
    });

    test(`backup workflow: a step ${state} that returns failed is not retried and leads to Fail, which succeeds`, async () => {
      const answer = { shards: [], done: false, failed: true };
      const { calls, order, outcome } = await run({ ...script, [state]: (event) => ({ ...event, ...answer }) });
      assert.equal(outcome, 'succeeded');
      assert.equal(order.at(-1), 'Fail');
      assert.ok(!order.includes('Seal') || state === 'Seal');
      assert.equal(calls.filter(([name, { shard }]) => name === state && (shard ?? 0) === 0).length, 1);
      assert.equal(calls.at(-1)?.[1].backupId, 'bkp_1');
    });

    test(`backup workflow: a transient fault in ${state} is retried`, async () => {
      const faults = ['Lambda.TooManyRequestsException', 'StorageError', 'States.Timeout', 'Lambda.Unknown'];
      for (const fault of faults) {
        const answer = state === 'Plan' ? plan : copied;
        const { order, outcome } = await run({ ...script, [state]: throwing(fault, 2, answer) });
        assert.equal(outcome, 'succeeded', fault);
        assert.equal(order.at(-1), 'Seal', fault);
      }
    });

    test(`backup workflow: ${state} waits for capacity without failing`, async () => {
      const answer = state === 'Plan' ? plan : copied;
      const { calls, outcome } = await run({ ...script, [state]: throwing('Lambda.TooManyRequestsException', 200, answer) });
      assert.equal(outcome, 'succeeded');
      assert.equal(calls.filter(([name, { shard }]) => name === state && (shard ?? 0) === 0).length, 201);
      assert.equal(calls.at(-1)?.[0], 'Seal');
    });

    test(`backup workflow: a persistent fault in ${state} leads to Fail`, async () => {
      const { order, outcome } = await run({ ...script, [state]: throwing('TypeError') });
      assert.equal(outcome, 'succeeded');
      assert.equal(order.at(-1), 'Fail');
    });
  }

  test('backup workflow: if Fail itself fails, the execution fails and the alarm fires', async () => {
    const { outcome } = await run({ Prepare: throwing('JobFailed'), Fail: throwing('TypeError') });
    assert.match(outcome, /^failed/);
  });
});
