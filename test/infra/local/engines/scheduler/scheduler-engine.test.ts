import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import * as sch from '@aws-sdk/client-scheduler';
import { type TestContext, test } from 'vitest';
import { AwsError } from '../../../../../infra/local/base/aws-service.ts';
import type { Statement } from '../../../../../infra/local/base/types.ts';
import type { QueueMessage } from '../../../../../infra/local/engines/fauxqs/fauxqs-engine.ts';
import type { ScheduleTargets } from '../../../../../infra/local/engines/scheduler/invoke-target.ts';
import { openScheduler, schedulerRoutes } from '../../../../../infra/local/engines/scheduler/scheduler-engine.ts';
import { restService } from '../../../../../infra/local/engines/shared/aws-protocols.ts';
import { account, allow, frontOf, region, resource, tempDir } from '../../../../harness/aws/embedded-aws.ts';

const fn = `arn:aws:lambda:${region}:${account}:function:work`;
const queue = `arn:aws:sqs:${region}:${account}:work`;
const dead = `arn:aws:sqs:${region}:${account}:dead`;
const machine = `arn:aws:states:${region}:${account}:stateMachine:work`;
const RoleArn = `arn:aws:iam::${account}:role/clock`;
const FlexibleTimeWindow = { Mode: 'OFF' } as const;

interface Options {
  readonly dir?: string;
  readonly delayScale?: number;
  readonly targets?: Partial<ScheduleTargets>;
  readonly callers?: Record<string, readonly Statement[]>;
}

const start = async (t: TestContext, { dir = tempDir(t), delayScale = 1, targets, callers }: Options = {}) => {
  const invoked: unknown[] = [];
  const sent: QueueMessage[] = [];
  const started: unknown[] = [];
  const engine = openScheduler({
    dir,
    region,
    account,
    delayScale,
    targets: {
      invoke: async (arn, payload) => void invoked.push([arn, payload]),
      send: (message) => void sent.push(message),
      startExecution: (arn, input) => void started.push([arn, input]),
      permit: () => undefined,
      ...targets,
    },
  });
  t.onTestFinished(() => engine.stop());
  const { client } = await frontOf(t, { services: { scheduler: restService(schedulerRoutes, engine) }, callers });
  const scheduler = new sch.SchedulerClient(client());
  const create = (
    Name: string,
    ScheduleExpression: string,
    more: Partial<sch.CreateScheduleCommandInput> = {},
    caller?: string,
  ) =>
    new sch.SchedulerClient(client(caller)).send(
      new sch.CreateScheduleCommand({
        Name,
        ScheduleExpression,
        FlexibleTimeWindow,
        Target: { Arn: fn, RoleArn, Input: '{"n":1}' },
        ...more,
      }),
    );
  const names = async () => (await scheduler.send(new sch.ListSchedulesCommand({}))).Schedules?.map(({ Name }) => Name);
  return { dir, engine, scheduler, create, names, invoked, sent, started };
};

/** Without a time limit: the machine may be slow. */
const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await what())) await pause(10);
};

const soon = (ms: number) => `at(${new Date(Date.now() + ms).toISOString().slice(0, 19)})`;

test('scheduler: a one-time schedule invokes its target once and is deleted afterwards if requested', async (t) => {
  const { create, names, invoked } = await start(t);
  await create('gone', soon(1_000), { ActionAfterCompletion: 'DELETE' });
  await create('kept', soon(1_000), { Target: { Arn: fn, RoleArn, Input: '{"n":2}' } });
  await until(async () => invoked.length === 2 && (await names())?.length === 1);
  await pause(100);
  assert.deepEqual(await names(), ['kept']);
  assert.deepEqual(
    new Set(invoked.map((call) => JSON.stringify(call))),
    new Set([JSON.stringify([fn, { n: 1 }]), JSON.stringify([fn, { n: 2 }])]),
  );
});

test('scheduler: delays are scaled', async (t) => {
  const { create, invoked } = await start(t, { delayScale: 36_000 });
  // Two hours take 0.2 s.
  await create('later', soon(2 * 3_600_000));
  await until(() => invoked.length === 1);
});

test('scheduler: a rate starts at once and repeats', async (t) => {
  const { create, invoked } = await start(t, { delayScale: 36_000 });
  await create('hourly', 'rate(1 hour)');
  await until(() => invoked.length >= 3);
});

test('scheduler: a schedule beyond the longest timer does not start early', async (t) => {
  const { create, invoked } = await start(t);
  await create('far', soon(60 * 86_400_000));
  await pause(100);
  assert.equal(invoked.length, 0);
});

test('scheduler: a disabled schedule starts once it is enabled', async (t) => {
  const { create, scheduler, invoked } = await start(t);
  await create('off', soon(0), { State: 'DISABLED' });
  await pause(100);
  assert.equal(invoked.length, 0);
  await scheduler.send(
    new sch.UpdateScheduleCommand({ Name: 'off', ScheduleExpression: soon(0), FlexibleTimeWindow, Target: { Arn: fn, RoleArn } }),
  );
  await until(() => invoked.length === 1);
});

test('scheduler: queues and workflows get the input with placeholders replaced', async (t) => {
  const { create, sent, started } = await start(t);
  const Input =
    '{"at":"<aws.scheduler.scheduled-time>","of":"<aws.scheduler.schedule-arn>","try":"<aws.scheduler.attempt-number>"}';
  await create('to-queue', 'at(2025-01-01T00:00:00)', { Target: { Arn: queue, RoleArn, Input } });
  await create('to-machine', 'at(2025-01-01T00:00:00)', { Target: { Arn: machine, RoleArn, Input: '{"x":1}' } });
  await until(() => sent.length === 1 && started.length === 1);
  assert.deepEqual(JSON.parse(sent[0]!.body), {
    at: '2025-01-01T00:00:00Z',
    of: `arn:aws:scheduler:${region}:${account}:schedule/default/to-queue`,
    try: '1',
  });
  assert.deepEqual(started, [[machine, '{"x":1}']]);
});

test('scheduler: a failing target is retried according to its policy, then dead-lettered with the reason', async (t) => {
  let tries = 0;
  const { create, sent } = await start(t, {
    delayScale: 1_000,
    targets: {
      invoke: async () => {
        tries++;
        throw new AwsError('ResourceNotFoundException', 'no such function');
      },
    },
  });
  const Target = {
    Arn: fn,
    RoleArn,
    Input: '{"n":1}',
    RetryPolicy: { MaximumRetryAttempts: 2 },
    DeadLetterConfig: { Arn: dead },
  };
  await create('failing', soon(0), { Target });
  await until(() => sent.length === 1);
  assert.equal(tries, 3);
  assert.equal(sent[0]?.queueArn, dead);
  assert.equal(sent[0]?.body, '{"n":1}');
  assert.equal(sent[0]?.attributes?.ERROR_CODE, 'ResourceNotFoundException');
  assert.equal(sent[0]?.attributes?.RETRY_ATTEMPTS, '2');
});

test('scheduler: a role without permission makes the target fail', async (t) => {
  const { create, invoked, sent } = await start(t, {
    targets: {
      permit: (_role, { service, sourceArn }, { action }) => {
        assert.equal(service, 'scheduler.amazonaws.com');
        assert.equal(sourceArn, `arn:aws:scheduler:${region}:${account}:schedule-group/default`);
        if (action === 'lambda:InvokeFunction') throw new AwsError('AccessDeniedException', 'no');
      },
    },
  });
  await create('denied', soon(0), {
    Target: { Arn: fn, RoleArn, RetryPolicy: { MaximumRetryAttempts: 0 }, DeadLetterConfig: { Arn: dead } },
  });
  await until(() => sent.length === 1);
  assert.equal(invoked.length, 0);
});

test('scheduler: schedules survive a restart, and a missed one-time schedule starts then', async (t) => {
  const first = await start(t);
  await first.create('nightly', 'cron(0 3 * * ? *)', { ScheduleExpressionTimezone: 'Europe/Berlin', Description: 'at night' });
  // Last, because the scheduler stops before it is due.
  await first.create('missed', soon(2_000));
  first.engine.stop();
  await pause(2_000);
  assert.equal(first.invoked.length, 0);
  const second = await start(t, { dir: first.dir });
  await until(() => second.invoked.length === 1);
  const nightly = await second.scheduler.send(new sch.GetScheduleCommand({ Name: 'nightly' }));
  assert.equal(nightly.ScheduleExpressionTimezone, 'Europe/Berlin');
  assert.equal(nightly.Description, 'at night');
  assert.equal(nightly.GroupName, 'default');
  assert.deepEqual(nightly.Target, { Arn: fn, RoleArn, Input: '{"n":1}' });
});

test('scheduler: a schedule of the template keeps its rhythm across restarts and is removed with the template', async (t) => {
  const hourly = { ScheduleExpression: 'rate(1 hour)', FlexibleTimeWindow, Target: { Arn: fn, RoleArn, Input: '{}' } };
  const first = await start(t);
  first.engine.provision(resource('AWS::Scheduler::Schedule', { name: 'sweep', properties: hourly }));
  await until(() => first.invoked.length === 1);
  first.engine.stop();
  const second = await start(t, { dir: first.dir });
  second.engine.provision(resource('AWS::Scheduler::Schedule', { name: 'sweep', properties: hourly }));
  await pause(1_200);
  assert.equal(second.invoked.length, 0);
  second.engine.stop();
  const third = await start(t, { dir: first.dir, delayScale: 360_000 });
  await pause(200);
  assert.equal(third.invoked.length, 0);
});

// Like delayed webhook retries: created by a function, in a group of the template, for a queue, with a passed role.
test('scheduler: a one-time entry waits after a restart until its group is provisioned, and is deleted once sent', async (t) => {
  const make = allow('scheduler:CreateSchedule', `arn:aws:scheduler:${region}:${account}:schedule/retries/*`);
  const pass = allow('iam:PassRole', RoleArn, { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  const callers = { Deliver: [make, pass] };
  const group = resource('AWS::Scheduler::ScheduleGroup', { name: 'retries', properties: {} });
  const entry = {
    GroupName: 'retries',
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: queue, RoleArn, Input: '{"attempt":4}' },
  } as const;
  // Half an hour, which only the second scheduler makes shorter.
  const first = await start(t, { callers });
  first.engine.provision(group);
  await assert.rejects(first.create('x', soon(60_000), { ...entry, GroupName: 'default' }, 'Deliver'), /CreateSchedule/);
  await first.create('dlv_1-4', soon(1_800_000), entry, 'Deliver');
  await assert.rejects(first.create('dlv_1-4', soon(1_800_000), entry, 'Deliver'), { name: 'ConflictException' });
  first.engine.stop();
  await pause(1_900);
  const second = await start(t, { dir: first.dir, delayScale: 1_000, callers });
  await pause(50);
  assert.deepEqual([first.sent, second.sent], [[], []]);
  second.engine.provision(group);
  await until(() => second.sent.length === 1);
  assert.deepEqual(second.sent, [{ queueArn: queue, body: '{"attempt":4}' }]);
  await until(async () => (await second.names())?.length === 0);
});

test('scheduler: duplicate names, unknown names and invalid input are rejected', async (t) => {
  const { create, scheduler } = await start(t);
  const far = soon(3_600_000);
  await create('one', far);
  await assert.rejects(create('one', far), { name: 'ConflictException' });
  await assert.rejects(create('two', 'every day'), { name: 'ValidationException' });
  await assert.rejects(create('two', far, { GroupName: 'tenants' }), { name: 'ResourceNotFoundException' });
  await assert.rejects(create('two', far, { Target: { Arn: 'arn:aws:sns:x:y:z', RoleArn } }), { name: 'ValidationException' });
  await scheduler.send(new sch.CreateScheduleGroupCommand({ Name: 'tenants' }));
  await create('one', far, { GroupName: 'tenants' });
  await scheduler.send(new sch.DeleteScheduleCommand({ Name: 'one', GroupName: 'tenants' }));
  await assert.rejects(scheduler.send(new sch.GetScheduleCommand({ Name: 'one', GroupName: 'tenants' })), {
    name: 'ResourceNotFoundException',
  });
  assert.ok(await scheduler.send(new sch.GetScheduleCommand({ Name: 'one' })));
});

test('scheduler: a repeated request creates one schedule', async (t) => {
  const { create } = await start(t);
  const [first, second] = [
    await create('one', soon(3_600_000), { ClientToken: 'token' }),
    await create('one', soon(3_600_000), { ClientToken: 'token' }),
  ];
  assert.equal(first.ScheduleArn, second.ScheduleArn);
});

test('scheduler: creating a schedule needs permission for it and for passing its role', async (t) => {
  const make = allow('scheduler:CreateSchedule', `arn:aws:scheduler:${region}:${account}:schedule/default/*`);
  const pass = allow('iam:PassRole', RoleArn, { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } });
  const { create } = await start(t, { callers: { Both: [make, pass], NoPass: [make], NoMake: [pass] } });
  await create('ok', soon(3_600_000), {}, 'Both');
  await assert.rejects(create('no', soon(3_600_000), {}, 'NoPass'), /not authorized to perform: iam:PassRole/);
  await assert.rejects(create('no', soon(3_600_000), {}, 'NoMake'), /not authorized to perform: scheduler:CreateSchedule/);
});
