/** Runs the purge workflow with faults in its step. */
import assert from 'node:assert/strict';
import { StateMachine } from 'aws-local-stepfunctions';
import { describe, test } from 'vitest';
import { purgeDefinition } from '../../../infra/workflow/purge.ts';

const definition = purgeDefinition({
  purge: { arn: 'arn:aws:lambda:eu-west-1:123456789012:function:purge', timeoutSeconds: 60 },
});
const input = { organizationId: 'org_1', deleteBackupData: false, done: false };

const named = (name: string): Error => Object.assign(new Error(`${name} happened`), { name });

/** Runs the workflow with a scripted step, one entry per call; retries do not wait. */
const run = async (script: readonly (Error | { done: boolean })[]) => {
  const seen: unknown[] = [];
  const machine = new StateMachine(definition as never);
  const execution = machine.run(input, {
    overrides: {
      taskResourceLocalHandlers: {
        Purge: async (event) => {
          const outcome = script[Math.min(seen.length, script.length - 1)];
          seen.push(event);
          if (outcome instanceof Error) throw outcome;
          return { ...(event as typeof input), ...outcome };
        },
      },
      retryIntervalOverrides: { Purge: 0 },
    },
  });
  const result = await execution.result.then(
    (output: unknown) => ({ output }),
    (error: unknown) => ({ error: error as Error }),
  );
  return { seen, ...result };
};

describe('purge', () => {
  test('purge workflow: it repeats the step until it is done', async () => {
    const { seen, ...result } = await run([{ done: false }, { done: false }, { done: true }]);
    assert.deepEqual(result, { output: { ...input, done: true } });
    assert.deepEqual(seen, [input, input, input]);
  });

  for (const fault of [
    'Lambda.TooManyRequestsException',
    'Lambda.ServiceException',
    'Lambda.Unknown',
    'States.Timeout',
    'TypeError',
  ]) {
    test(`purge workflow: the step is retried after ${fault}`, async () => {
      const { seen, ...result } = await run([named(fault), named(fault), { done: true }]);
      assert.deepEqual(result, { output: { ...input, done: true } });
      assert.equal(seen.length, 3);
    });
  }

  test('purge workflow: it fails after seven attempts with the cause, and the alarm fires', async () => {
    const { seen, ...result } = await run([named('AccessDenied')]);
    assert.equal(seen.length, 7);
    assert.ok('error' in result);
    assert.match(`${result.error.name} ${result.error.message}`, /AccessDenied/);
  });
});
