/** The only door to EventBridge Scheduler: has a message sent at a moment that is further off than a queue can wait. */
import { ConflictException, CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { env } from './env.ts';
import { patience } from './patience.ts';

let opened: SchedulerClient | undefined;
const client = (): SchedulerClient => {
  opened ??= new SchedulerClient(patience);
  return opened;
};

/** The most that Scheduler allows: if the queue is away, it is tried for a day before the message is put aside. */
const retry = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/**
 * Has the body sent to the slow delivery queue at that moment or up to a minute later, never before, and forgets it then.
 * False if there is an entry of that name, which stays as it is: it may wait, or it has fired and is not yet removed.
 */
export const sendLater = async (name: string, at: Date, body: string): Promise<boolean> => {
  try {
    await client().send(
      new CreateScheduleCommand({
        Name: name,
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
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConflictException) return false;
    throw error;
  }
};

/** Scheduler knows whole seconds; rounded up, because what is asked for is the earliest moment. */
const wholeSecond = (at: Date): string => new Date(Math.ceil(at.getTime() / 1_000) * 1_000).toISOString().slice(0, 19);
