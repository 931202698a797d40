/** Runs the verification workflow with faults in its step. */
import assert from 'node:assert/strict';
import { StateMachine } from 'aws-local-stepfunctions';
import { describe, test } from 'vitest';
import { verifyDefinition } from '../../../infra/workflow/verify.ts';

const definition = JSON.stringify(
  verifyDefinition({ backupVerify: { arn: 'arn:aws:lambda:eu-west-1:123456789012:function:verify', timeoutSeconds: 60 } }),
);
const input = { organizationId: 'org_1', backupId: 'bkp_1', position: null, done: false };
type Given = typeof input & { readonly error?: { readonly Error: string } };

/** Runs the workflow with a scripted step; retries do not wait. */
const run = async (verify: (given: Given, times: number) => object, giveUp: (given: Given) => object = () => ({})) => {
  const seen: (readonly [string, Given])[] = [];
  const handler = (state: string, work: (given: Given, times: number) => object) => async (event: unknown) => {
    const times = seen.filter(([name]) => name === state).length;
    seen.push([state, event as Given]);
    return work(event as Given, times);
  };
  const execution = new StateMachine(JSON.parse(definition), { validationOptions: { noValidate: true } }).run(input, {
    overrides: {
      taskResourceLocalHandlers: { Verify: handler('Verify', verify), 'Give up': handler('Give up', giveUp) } as never,
      retryIntervalOverrides: { Verify: 0, 'Give up': 0 },
    },
  });
  const outcome = await execution.result.then(
    () => 'succeeded',
    (error: Error) => `failed: ${error.name} ${error.message}`,
  );
  return { seen, outcome };
};
const fails = (): never => {
  throw Object.assign(new Error('AccessDenied happened'), { name: 'AccessDenied' });
};

describe('verify', () => {
  test('verify workflow: it is a valid state machine', () =>
    assert.ok(new StateMachine(JSON.parse(definition), { validationOptions: { checkArn: false } })));

  test('verify workflow: it continues from the last position until it is done', async () => {
    const { seen, outcome } = await run((given, times) => ({ ...given, position: { n: times + 1 }, done: times === 2 }));
    assert.equal(outcome, 'succeeded');
    assert.deepEqual(
      seen.map(([, { position }]) => position),
      [null, { n: 1 }, { n: 2 }],
    );
  });

  test('verify workflow: a persistent fault is recorded, and the alarm fires with the cause', async () => {
    const { seen, outcome } = await run(fails);
    assert.match(outcome, /^failed: .*AccessDenied/);
    assert.deepEqual(
      seen.map(([state]) => state),
      [...Array(7).fill('Verify'), 'Give up'],
    );
    assert.equal(seen.at(-1)![1].error!.Error, 'AccessDenied');
    assert.match((await run(fails, fails)).outcome, /^failed: .*AccessDenied/);
  });
});
