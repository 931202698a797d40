import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { putEntry, removeEntry, sendLater } from '../../../../shared/platform/index.ts';
import { Fault, type Input, scriptAws } from '../../../harness/aws/scripted-aws.ts';

let answer: object = { ScheduleArn: 'x' };
/** Responses in sequence, before the default one. */
let first: object[] = [];
const asked: { readonly input: Input; readonly address: string }[] = [];
const aws = await scriptAws({
  '': (input, address = '') => {
    asked.push({ input, address });
    return first.shift() ?? answer;
  },
});
afterAll(() => aws.stop());
Object.assign(process.env, {
  RETRY_GROUP_NAME: 'retries',
  RETRY_ROLE_ARN: 'arn:aws:iam::1:role/retry',
  DELIVERY_RETRY_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:slow',
  RETRY_DEAD_LETTERS_ARN: 'arn:aws:sqs:eu-central-1:1:dead',
  SCHEDULE_GROUP_NAME: 'schedules',
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::1:role/ticks',
  SCHEDULE_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:schedules',
  SCHEDULE_DEAD_LETTERS_ARN: 'arn:aws:sqs:eu-central-1:1:dead-ticks',
});
beforeEach(() => {
  asked.length = 0;
  answer = { ScheduleArn: 'x' };
  first = [];
});

test('sendLater: a message is scheduled once for the requested second, and its schedule is deleted with it', async () => {
  await sendLater('dlv_1-4', new Date('2026-03-01T12:30:00.000Z'), '{"a":1}');
  equal(asked[0]?.address, '/schedules/dlv_1-4');
  const { ClientToken: _, ...input } = asked[0].input;
  deepEqual(input, {
    GroupName: 'retries',
    ScheduleExpression: 'at(2026-03-01T12:30:00)',
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: 'arn:aws:sqs:eu-central-1:1:slow',
      RoleArn: 'arn:aws:iam::1:role/retry',
      Input: '{"a":1}',
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      DeadLetterConfig: { Arn: 'arn:aws:sqs:eu-central-1:1:dead' },
    },
  });
});

test('sendLater: a fraction of a second is rounded up', async () => {
  await sendLater('x', new Date('2026-12-31T23:59:59.001Z'), '');
  equal(asked[0]?.input.ScheduleExpression, 'at(2027-01-01T00:00:00)');
});

test('sendLater: an existing schedule stays and false is returned; other errors are thrown', async () => {
  equal(await sendLater('x', new Date(0), ''), true);
  answer = new Fault('ConflictException', 409);
  equal(await sendLater('x', new Date(0), ''), false);
  answer = new Fault('ValidationException', 400);
  await rejects(sendLater('x', new Date(0), ''), { name: 'ValidationException' });
});

const entry = { name: 'org_1.sch_1', expression: 'cron(0 3 * * ? *)', timezone: 'Europe/Berlin', body: '{"at":"x"}' };

test('putEntry: delivery to the schedule queue is retried for a day before dead-lettering, without a flexible window', async () => {
  await putEntry(entry);
  equal(asked[0]?.address, '/schedules/org_1.sch_1');
  const { ClientToken: _, ...input } = asked[0].input;
  deepEqual(input, {
    GroupName: 'schedules',
    ScheduleExpression: 'cron(0 3 * * ? *)',
    ScheduleExpressionTimezone: 'Europe/Berlin',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: {
      Arn: 'arn:aws:sqs:eu-central-1:1:schedules',
      RoleArn: 'arn:aws:iam::1:role/ticks',
      Input: '{"at":"x"}',
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      DeadLetterConfig: { Arn: 'arn:aws:sqs:eu-central-1:1:dead-ticks' },
    },
  });
});

test('putEntry: an existing schedule is replaced', async () => {
  first = [new Fault('ConflictException', 409)];
  await putEntry(entry);
  const [{ ClientToken: _, ...made }, { ClientToken: __, ...replaced }] = asked.map(({ input }) => input) as [Input, Input];
  equal(asked.length, 2);
  deepEqual(replaced, made);
  answer = new Fault('ValidationException', 400);
  await rejects(putEntry(entry), { name: 'ValidationException' });
});

test('removeEntry: a missing schedule is no error; other errors are thrown', async () => {
  await removeEntry('org_1.sch_1');
  const address = new URL(asked[0]?.address ?? '', 'http://localhost');
  deepEqual([address.pathname, address.searchParams.get('groupName')], ['/schedules/org_1.sch_1', 'schedules']);
  answer = new Fault('ResourceNotFoundException', 404);
  await removeEntry('org_1.sch_1');
  answer = new Fault('AccessDeniedException', 403);
  await rejects(removeEntry('org_1.sch_1'), { name: 'AccessDeniedException' });
});
