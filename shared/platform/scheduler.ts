/**
 * The only door to EventBridge Scheduler: has a message sent at a moment that is further off than a queue can wait, or again and
 * again.
 */
import { isRefusal } from './aws-error.ts';
import { restCall } from './aws-json.ts';
import { env } from './env.ts';
import { randomness } from './id.ts';
import { encoded } from './signature.ts';

/** The most that Scheduler allows: if the queue is away, it is tried for a day before the message is put aside. */
const retry = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/**
 * Has the body sent to the slow delivery queue at that moment or up to a minute later, never before, and forgets it then.
 * False if there is an entry of that name, which stays as it is: it may wait, or it has fired and is not yet removed.
 */
export const sendLater = async (name: string, at: Date, body: string): Promise<boolean> => {
  try {
    await put('POST', name, {
      GroupName: env('RETRY_GROUP_NAME'),
      ScheduleExpression: `at(${wholeSecond(at)})`,
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: env('SLOW_DELIVERY_QUEUE_ARN'),
        RoleArn: env('RETRY_ROLE_ARN'),
        Input: body,
        RetryPolicy: retry,
        DeadLetterConfig: { Arn: env('RETRY_DEAD_LETTERS_ARN') },
      },
    });
    return true;
  } catch (error) {
    if (isRefusal(error, 'ConflictException')) return false;
    throw error;
  }
};

/** Scheduler knows whole seconds; rounded up, because what is asked for is the earliest moment. */
const wholeSecond = (at: Date): string => new Date(Math.ceil(at.getTime() / 1_000) * 1_000).toISOString().slice(0, 19);

export interface Entry {
  readonly name: string;
  /** Such as `cron(0 3 * * ? *)`. */
  readonly expression: string;
  readonly timezone: string;
  /** Where it says so the Scheduler puts in the moment it was due at: `scheduledTime`. */
  readonly body: string;
}

/** What the Scheduler replaces in a body by the moment that an entry was due at. */
export const scheduledTime = '<aws.scheduler.scheduled-time>';

/** Has the body sent to the schedule queue whenever the expression says, whether or not there is an entry of that name. */
export const putEntry = async ({ name, expression, timezone, body }: Entry): Promise<void> => {
  const input = {
    GroupName: env('SCHEDULE_GROUP_NAME'),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: timezone,
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: {
      Arn: env('SCHEDULE_QUEUE_ARN'),
      RoleArn: env('SCHEDULE_ROLE_ARN'),
      Input: body,
      RetryPolicy: retry,
      DeadLetterConfig: { Arn: env('SCHEDULE_DEAD_LETTERS_ARN') },
    },
  };
  try {
    await put('POST', name, input);
  } catch (error) {
    if (!isRefusal(error, 'ConflictException')) throw error;
    await put('PUT', name, input);
  }
};

/** Creates an entry, or replaces one. The token makes all tries of a call the same call. */
const put = (method: 'POST' | 'PUT', name: string, input: object): Promise<unknown> =>
  restCall(
    { service: 'scheduler', method, path: `/schedules/${encoded(name)}` },
    { ...input, ClientToken: randomness(16).toString('hex') },
  );

/** One that is not there is removed already. */
export const removeEntry = async (name: string): Promise<void> => {
  try {
    const query = { groupName: env('SCHEDULE_GROUP_NAME'), clientToken: randomness(16).toString('hex') };
    await restCall({ service: 'scheduler', method: 'DELETE', path: `/schedules/${encoded(name)}`, query }, undefined);
  } catch (error) {
    if (!isRefusal(error, 'ResourceNotFoundException')) throw error;
  }
};
