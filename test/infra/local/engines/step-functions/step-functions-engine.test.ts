import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import * as sfn from '@aws-sdk/client-sfn';
import { type TestContext, test } from 'vitest';
import { AwsError } from '../../../../../infra/local/base/aws-service.ts';
import type { Permit, Statement } from '../../../../../infra/local/base/types.ts';
import { jsonService } from '../../../../../infra/local/engines/shared/aws-protocols.ts';
import { openStepFunctionsEngine } from '../../../../../infra/local/engines/step-functions/step-functions-engine.ts';
import { account, allow, frontOf, region, resource, tempDir } from '../../../../harness/aws/embedded-aws.ts';

const machine = `arn:aws:states:${region}:${account}:stateMachine:work`;
const fn = (name: string) => `arn:aws:lambda:${region}:${account}:function:${name}`;
const task = (name: string, more: object = { End: true }) => ({ Type: 'Task', Resource: fn(name), ...more });

interface Options {
  readonly dir?: string;
  readonly delayScale?: number;
  readonly permit?: Permit;
  readonly callers?: Record<string, readonly Statement[]>;
}

type Functions = Readonly<Record<string, (payload: never) => unknown>>;

const start = async (
  t: TestContext,
  {
    definition,
    functions,
    options = {},
  }: { readonly definition: object; readonly functions: Functions; readonly options?: Options | undefined },
) => {
  const { dir = tempDir(t), delayScale = 1, permit = () => undefined, callers } = options;
  const invoke = async (arn: string, payload: unknown): Promise<unknown> => {
    const run = functions[arn.slice(arn.lastIndexOf(':') + 1)];
    if (!run) throw new AwsError('ResourceNotFoundException', `Function not found: ${arn}`);
    return run(payload as never);
  };
  const engine = openStepFunctionsEngine({ dir, delayScale, invoke, permit });
  t.onTestFinished(() => engine.stop());
  await engine.provision(
    resource('AWS::StepFunctions::StateMachine', {
      name: 'work',
      properties: { DefinitionString: JSON.stringify(definition) },
      arn: machine,
    }),
  );
  const { client } = await frontOf(t, { services: { states: jsonService('1.0', engine) }, callers });
  const states = new sfn.SFNClient(client());
  const begin = (input: unknown, name?: string, caller?: string) =>
    new sfn.SFNClient(client(caller)).send(
      new sfn.StartExecutionCommand({ stateMachineArn: machine, input: JSON.stringify(input), ...(name && { name }) }),
    );
  const ended = async (executionArn: string | undefined) => {
    // Without a time limit: the machine may be slow.
    for (;;) {
      const execution = await states.send(new sfn.DescribeExecutionCommand({ executionArn }));
      if (execution.status !== 'RUNNING') return execution;
      await pause(10);
    }
  };
  return { dir, engine, states, begin, ended, run: async (input: unknown) => ended((await begin(input)).executionArn) };
};

const failing = (name: string, message: string): never => {
  throw Object.assign(new Error(message), { name });
};

test('step functions: a loop repeats a function until its choice ends it', async (t) => {
  let steps = 0;
  const { run } = await start(t, {
    definition: {
      StartAt: 'Step',
      States: {
        Step: task('step', { Next: 'Done?' }),
        'Done?': { Type: 'Choice', Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'End' }], Default: 'Step' },
        End: { Type: 'Succeed' },
      },
    },
    functions: { step: (input: object) => ({ ...input, done: ++steps === 3 }) },
  });
  const execution = await run({ organizationId: 'org_1' });
  assert.equal(execution.status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(execution.output!), { organizationId: 'org_1', done: true });
  assert.ok(execution.stopDate);
});

test('step functions: the Lambda integration passes its payload and wraps the result', async (t) => {
  const { run } = await start(t, {
    definition: {
      StartAt: 'Call',
      States: {
        Call: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke',
          Parameters: { FunctionName: fn('add'), 'Payload.$': '$' },
          ResultSelector: { 'sum.$': '$.Payload.sum' },
          End: true,
        },
      },
    },
    functions: { add: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }) },
  });
  assert.deepEqual(JSON.parse((await run({ a: 1, b: 2 })).output!), { sum: 3 });
});

test('step functions: a failing map item is retried and then caught with its error and cause', async (t) => {
  const tries: Record<number, number> = {};
  const { run } = await start(t, {
    definition: {
      StartAt: 'Each',
      States: {
        Each: {
          Type: 'Map',
          ItemProcessor: {
            StartAt: 'One',
            States: {
              One: task('one', {
                End: true,
                Retry: [{ ErrorEquals: ['Flaky'], IntervalSeconds: 1, MaxAttempts: 2 }],
                Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
              }),
              Caught: { Type: 'Pass', End: true },
            },
          },
          End: true,
        },
      },
    },
    functions: {
      one: (n: number) => {
        tries[n] = (tries[n] ?? 0) + 1;
        if (n === 2 && tries[n] < 3) failing('Flaky', 'not yet');
        if (n === 3) failing('Broken', 'never');
        return n * 10;
      },
    },
    options: { delayScale: 100 },
  });
  const [one, two, three] = JSON.parse((await run([1, 2, 3])).output!);
  assert.deepEqual([one, two], [10, 20]);
  assert.equal(three.Error, 'Broken');
  assert.deepEqual(JSON.parse(three.Cause), { errorType: 'Broken', errorMessage: 'never' });
  assert.deepEqual(tries, { 1: 1, 2: 3, 3: 1 });
});

/** Like the backup workflow: items are numbers, and each item is an execution. */
const distributed = {
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemsPath: '$.numbers',
      ItemSelector: { 'job.$': '$.job', 'number.$': '$$.Map.Item.Value' },
      MaxConcurrency: 2,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        StartAt: 'One',
        States: {
          One: task('one', { Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Failed' }], End: true }),
          Failed: { Type: 'Fail', ErrorPath: '$.error.Error', CausePath: '$.error.Cause' },
        },
      },
      ResultPath: null,
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Caught' }],
      Next: 'Done',
    },
    Done: { Type: 'Succeed' },
    Caught: { Type: 'Succeed' },
  },
};

test('step functions: a distributed map passes the selected input to each item, with limited concurrency', async (t) => {
  const seen: unknown[] = [];
  let [atOnce, most] = [0, 0];
  const two = Promise.withResolvers<void>();
  const one = async (input: object) => {
    seen.push(input);
    most = Math.max(most, ++atOnce);
    // None ends before two run at once.
    if (atOnce === 2) two.resolve();
    await two.promise;
    await pause(5);
    atOnce -= 1;
    return input;
  };
  const { run } = await start(t, { definition: distributed, functions: { one } });
  const execution = await run({ job: 'j', numbers: [0, 1, 2, 3] });
  assert.deepEqual(JSON.parse(execution.output!), { job: 'j', numbers: [0, 1, 2, 3] });
  assert.deepEqual(
    seen,
    [0, 1, 2, 3].map((number) => ({ job: 'j', number })),
  );
  assert.equal(most, 2);
});

test('step functions: a distributed map needs permission to start its own workflow', async (t) => {
  const permit: Permit = (_role, _actor, { action }) => {
    if (action === 'states:StartExecution') throw new AwsError('AccessDeniedException', 'not allowed');
  };
  const { run } = await start(t, { definition: distributed, functions: { one: (input: object) => input }, options: { permit } });
  const { output } = await run({ job: 'j', numbers: [0] });
  assert.ok((JSON.parse(output!) as { error?: object }).error);
});

// On AWS the map reports only that its threshold was exceeded: the reason has to be recorded elsewhere.
test('step functions: a distributed map reports that an item failed, not why', async (t) => {
  const one = ({ number }: { number: number }) => (number === 1 ? failing('Broken', 'why') : number);
  const { run } = await start(t, { definition: distributed, functions: { one } });
  const { output } = await run({ job: 'j', numbers: [0, 1, 2] });
  const { error } = JSON.parse(output!) as { error: { Error: string; Cause: string } };
  assert.equal(error.Error, 'States.ExceedToleratedFailureThreshold');
  assert.doesNotMatch(error.Cause, /why/);
});

test('step functions: an uncaught error fails the execution with its name and cause', async (t) => {
  const { run } = await start(t, {
    definition: { StartAt: 'A', States: { A: task('a') } },
    functions: { a: () => failing('Broken', 'why') },
  });
  const execution = await run({});
  assert.equal(execution.status, 'FAILED');
  assert.equal(execution.error, 'Broken');
  assert.match(execution.cause!, /why/);
});

test('step functions: a Fail state takes its error from the input', async (t) => {
  const { run } = await start(t, {
    definition: {
      StartAt: 'A',
      States: {
        A: task('a', { Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Failed' }], End: true }),
        Failed: { Type: 'Fail', ErrorPath: '$.error.Error', CausePath: '$.error.Cause' },
      },
    },
    functions: { a: () => failing('Broken', 'why') },
  });
  const { status, error } = await run({});
  assert.deepEqual([status, error], ['FAILED', 'Broken']);
});

test('step functions: a task beyond its timeout fails with States.Timeout', async (t) => {
  const { run } = await start(t, {
    definition: { StartAt: 'A', States: { A: task('a', { TimeoutSeconds: 1, End: true }) } },
    functions: { a: () => pause(1_500) },
  });
  assert.equal((await run({})).error, 'States.Timeout');
});

test('step functions: an execution beyond its timeout is TIMED_OUT', async (t) => {
  const { run } = await start(t, {
    definition: { StartAt: 'A', TimeoutSeconds: 1, States: { A: { Type: 'Wait', Seconds: 60, End: true } } },
    functions: {},
  });
  assert.equal((await run({})).status, 'TIMED_OUT');
});

test('step functions: waits are scaled', async (t) => {
  const { run } = await start(t, {
    definition: { StartAt: 'A', States: { A: { Type: 'Wait', Seconds: 3_600, End: true } } },
    functions: {},
    options: { delayScale: 36_000 },
  });
  assert.equal((await run({})).status, 'SUCCEEDED');
});

test('step functions: a start with the name and input of a running execution returns it; other input or a used name fails', async (t) => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { begin, ended } = await start(t, {
    definition: { StartAt: 'A', States: { A: task('a') } },
    functions: {
      a: () => {
        runs++;
        return promise;
      },
    },
  });
  const [first, second] = [await begin({ n: 1 }, 'task-1'), await begin({ n: 1 }, 'task-1')];
  assert.deepEqual([second.executionArn, second.startDate], [first.executionArn, first.startDate]);
  await assert.rejects(begin({ n: 2 }, 'task-1'), { name: 'ExecutionAlreadyExists' });
  resolve();
  await ended(first.executionArn);
  await assert.rejects(begin({ n: 1 }, 'task-1'), { name: 'ExecutionAlreadyExists' });
  assert.equal(runs, 1);
});

test('step functions: a stopped execution is aborted and runs nothing more, not even a retry', async (t) => {
  let runs = 0;
  const { begin, ended, states } = await start(t, {
    definition: {
      StartAt: 'A',
      States: { A: task('a', { Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 3 }], End: true }) },
    },
    functions: {
      a: () => {
        runs++;
        failing('Flaky', 'again');
      },
    },
  });
  const { executionArn } = await begin({});
  while (runs === 0) await pause(5);
  await states.send(new sfn.StopExecutionCommand({ executionArn, error: 'Cancelled', cause: 'by hand' }));
  const { status, error, cause } = await ended(executionArn);
  assert.deepEqual([status, error, cause], ['ABORTED', 'Cancelled', 'by hand']);
  await pause(3_100);
  assert.equal(runs, 1);
});

test('step functions: results survive a restart, and running executions restart from their first state', async (t) => {
  const definition = { StartAt: 'A', States: { A: task('a') } };
  const first = await start(t, {
    definition,
    functions: {
      a: ({ hang }: { hang?: boolean }) => (hang ? new Promise(() => undefined) : { ok: 1 }),
    },
  });
  const done = await first.begin({}, 'done');
  await first.ended(done.executionArn);
  const open = await first.begin({ hang: true }, 'open');
  await first.engine.stop();
  const second = await start(t, { definition, functions: { a: () => ({ ok: 2 }) }, options: { dir: first.dir } });
  assert.equal((await second.ended(done.executionArn)).output, '{"ok":1}');
  assert.equal((await second.ended(open.executionArn)).output, '{"ok":2}');
  const { executions } = await second.states.send(
    new sfn.ListExecutionsCommand({ stateMachineArn: machine, statusFilter: 'SUCCEEDED' }),
  );
  assert.deepEqual(
    executions?.map(({ name }) => name),
    ['open', 'done'],
  );
});

test('step functions: a function that is denied or missing fails the task like on Lambda', async (t) => {
  const definition = { StartAt: 'A', States: { A: task('nobody') } };
  const missing = await start(t, { definition, functions: {} });
  assert.equal((await missing.run({})).error, 'Lambda.ResourceNotFoundException');
  const refused = await start(t, {
    definition,
    functions: {},
    options: { permit: () => failing('AccessDeniedException', 'User: x is not authorized') },
  });
  assert.equal((await refused.run({})).error, 'Lambda.AWSLambdaException');
});

test('step functions: an invalid or unsupported definition is rejected when it is provisioned', async (t) => {
  await assert.rejects(start(t, { definition: { StartAt: 'Nowhere', States: { A: task('a') } }, functions: {} }), /invalid/);
  const publish = { Type: 'Task', Resource: 'arn:aws:states:::sns:publish', End: true };
  await assert.rejects(
    start(t, { definition: { StartAt: 'A', States: { A: publish } }, functions: {} }),
    /the state "A" uses arn:aws:states:::sns:publish/,
  );
});

test('step functions: each operation needs its permission, and bad requests get their errors', async (t) => {
  const { begin, states } = await start(t, {
    definition: { StartAt: 'A', States: { A: { Type: 'Succeed' } } },
    functions: {},
    options: {
      callers: { Starter: [allow('states:StartExecution', machine)], Reader: [allow('states:DescribeExecution', '*')] },
    },
  });
  await begin({}, 'ok', 'Starter');
  await assert.rejects(begin({}, 'no', 'Reader'), { name: 'AccessDeniedException' });
  await assert.rejects(begin({}, 'not a name!'), { name: 'InvalidName' });
  const unknown = machine.replace(':stateMachine:work', ':execution:work:unknown');
  await assert.rejects(states.send(new sfn.DescribeExecutionCommand({ executionArn: unknown })), {
    name: 'ExecutionDoesNotExist',
  });
  const other = new sfn.StartExecutionCommand({ stateMachineArn: `${machine}2` });
  await assert.rejects(states.send(other), { name: 'StateMachineDoesNotExist' });
});

/** A round of it makes seven events: five of the task, two of the choice. */
const roundTrips = (rounds: number) => {
  let steps = 0;
  const definition = {
    StartAt: 'Work',
    States: {
      Work: task('step', { Next: 'Done?' }),
      'Done?': { Type: 'Choice', Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'End' }], Default: 'Work' },
      End: { Type: 'Succeed' },
    },
  };
  return { definition, functions: { step: () => ({ done: ++steps === rounds }) } };
};

test('step functions: an execution succeeds with its 25,000th event, and fails if that is another one', async (t) => {
  // Before its success: the start, the rounds, and entering and leaving the last state.
  const most = Math.floor((25_000 - 1 - 1 - 2) / 7);
  const enough = roundTrips(most);
  const first = await start(t, { definition: enough.definition, functions: enough.functions });
  assert.equal((await first.run({})).status, 'SUCCEEDED');
  const tooMany = roundTrips(most + 1);
  const second = await start(t, { definition: tooMany.definition, functions: tooMany.functions });
  const { status, error, cause } = await second.run({});
  assert.deepEqual(
    { status, error, cause },
    {
      status: 'FAILED',
      error: 'States.Runtime',
      cause: 'The execution reached the maximum number of history events (25000).',
    },
  );
});
