import { deepEqual, equal, rejects } from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sendLater } from '../../../shared/platform/index.ts';
import { Fault, type Input, scriptAws } from '../../support/scripted-aws.ts';

let answer: object = { ScheduleArn: 'x' };
const asked: { readonly input: Input; readonly address: string }[] = [];
const aws = await scriptAws({
  '': (input, address = '') => {
    asked.push({ input, address });
    return answer;
  },
});
after(() => aws.stop());
Object.assign(process.env, {
  RETRY_GROUP_NAME: 'retries',
  RETRY_ROLE_ARN: 'arn:aws:iam::1:role/retry',
  SLOW_DELIVERY_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:slow',
  RETRY_DEAD_LETTERS_ARN: 'arn:aws:sqs:eu-central-1:1:dead',
});
beforeEach(() => {
  asked.length = 0;
  answer = { ScheduleArn: 'x' };
});

test('a message is sent once, at the second asked for, and its entry goes with it', async () => {
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

test('a part of a second is never taken away', async () => {
  await sendLater('x', new Date('2026-12-31T23:59:59.001Z'), '');
  equal(asked[0]?.input.ScheduleExpression, 'at(2027-01-01T00:00:00)');
});

test('an entry that is there already stays, and whoever asked knows that none was made; every other refusal is told', async () => {
  equal(await sendLater('x', new Date(0), ''), true);
  answer = new Fault('ConflictException', 409);
  equal(await sendLater('x', new Date(0), ''), false);
  answer = new Fault('ValidationException', 400);
  await rejects(sendLater('x', new Date(0), ''), { name: 'ValidationException' });
});
