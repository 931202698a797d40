/** EventBridge Scheduler: sends a message later than an SQS delay allows, or repeatedly. */
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { callAws } from '../aws-client/call-aws.ts';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import { env } from '../env.ts';
import { secureRandomBytes } from '../random-id.ts';
import { warm } from '../warm.ts';

const client = warm(() => new SchedulerClient(sdkConfig));

/** The most that Scheduler allows: while the queue is unavailable, it retries for a day before the message goes to the dead-letter queue. */
const retry = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/**
 * Sends the body once to the delivery retry queue, at that time or up to a minute later, never earlier. False if a schedule of that
 * name exists; it stays unchanged. It may be pending, or it has fired and is not yet deleted.
 */
export const sendLater = async (name: string, at: Date, body: string): Promise<boolean> => {
  try {
    await create({
      Name: name,
      GroupName: env('RETRY_GROUP_NAME'),
      ScheduleExpression: `at(${wholeSecond(at)})`,
      ScheduleExpressionTimezone: 'UTC',
      ActionAfterCompletion: 'DELETE',
      ...messageTo('DELIVERY_RETRY_QUEUE_ARN', 'RETRY', body),
    });
    return true;
  } catch (error) {
    if (isAwsError(error, 'ConflictException')) return false;
    throw error;
  }
};

/** Scheduler has a resolution of one second. Rounded up, because `at` is the earliest time. */
const wholeSecond = (at: Date): string => new Date(Math.ceil(at.getTime() / 1_000) * 1_000).toISOString().slice(0, 19);

export interface SchedulerEntry {
  readonly name: string;
  /** Such as `cron(0 3 * * ? *)`. */
  readonly expression: string;
  readonly timezone: string;
  /** Scheduler replaces `scheduledTime` in it by the due time. */
  readonly body: string;
}

/** The placeholder that Scheduler replaces by the due time. */
export const scheduledTime = '<aws.scheduler.scheduled-time>';

/** Sends the body to the schedule queue at the times of the expression. Replaces a schedule of that name. */
export const putEntry = async ({ name, expression, timezone, body }: SchedulerEntry): Promise<void> => {
  const input: CreateScheduleCommandInput = {
    Name: name,
    GroupName: env('SCHEDULE_GROUP_NAME'),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: timezone,
    State: 'ENABLED',
    ...messageTo('SCHEDULE_QUEUE_ARN', 'SCHEDULE', body),
  };
  try {
    await create(input);
  } catch (error) {
    if (!isAwsError(error, 'ConflictException')) throw error;
    const command = new UpdateScheduleCommand({ ...input, ClientToken: newToken() });
    await callAws((options) => client().send(command, options));
  }
};

/** Sends the body to this queue, exactly on time, with the role and the dead-letter queue of this kind of schedule. */
const messageTo = (queue: 'DELIVERY_RETRY_QUEUE_ARN' | 'SCHEDULE_QUEUE_ARN', kind: 'RETRY' | 'SCHEDULE', body: string) => ({
  FlexibleTimeWindow: { Mode: 'OFF' as const },
  Target: {
    Arn: env(queue),
    RoleArn: env(`${kind}_ROLE_ARN`),
    Input: body,
    RetryPolicy: retry,
    DeadLetterConfig: { Arn: env(`${kind}_DEAD_LETTERS_ARN`) },
  },
});

const create = async (input: CreateScheduleCommandInput): Promise<void> => {
  const command = new CreateScheduleCommand({ ...input, ClientToken: newToken() });
  await callAws((options) => client().send(command, options));
};

/** Makes all attempts of one call idempotent. */
const newToken = (): string => secureRandomBytes(16).toString('hex');

/** Deletes a schedule. A missing one is no error. */
export const removeEntry = async (name: string): Promise<void> => {
  const command = new DeleteScheduleCommand({ Name: name, GroupName: env('SCHEDULE_GROUP_NAME'), ClientToken: newToken() });
  try {
    await callAws((options) => client().send(command, options));
  } catch (error) {
    if (!isAwsError(error, 'ResourceNotFoundException')) throw error;
  }
};
