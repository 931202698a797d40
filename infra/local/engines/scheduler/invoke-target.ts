/** Invokes the target of a schedule under the schedule's role. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsError, type Json } from '../../base/aws-service.ts';
import type { Actor, Permit } from '../../base/types.ts';
import type { QueueMessage } from '../fauxqs/fauxqs-engine.ts';

export interface Target {
  readonly Arn: string;
  readonly RoleArn: string;
  readonly Input?: string;
  readonly RetryPolicy?: { readonly MaximumRetryAttempts?: number; readonly MaximumEventAgeInSeconds?: number };
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly SqsParameters?: { readonly MessageGroupId?: string };
}

/** The kinds of targets; each rejects on failure. */
export interface ScheduleTargets {
  invoke(functionArn: string, payload: unknown): Promise<void>;
  send(message: QueueMessage): void;
  startExecution(stateMachineArn: string, input: string): void;
  readonly permit: Permit;
}

interface Tick {
  readonly scheduleArn: string;
  readonly scheduledAt: Date;
  readonly target: Target;
}

export const checkTarget = (given: unknown): Target => {
  const target = (given ?? {}) as Target;
  if (!target.RoleArn) throw new AwsError('ValidationException', 'Target.RoleArn is required');
  if (!actionOf(String(target.Arn)))
    throw new AwsError(
      'ValidationException',
      `the local Scheduler does not support the target ${target.Arn}: use a function, a queue or a workflow`,
    );
  return target;
};

const actionOf = (arn: string): string | undefined => {
  if (/^arn:aws:lambda:[^:]*:[^:]*:function:/.test(arn)) return 'lambda:InvokeFunction';
  if (/^arn:aws:sqs:[^:]+:/.test(arn)) return 'sqs:SendMessage';
  if (/^arn:aws:states:[^:]+:[^:]*:stateMachine:/.test(arn)) return 'states:StartExecution';
  return undefined;
};

const retriesByDefault = 185;
const ageMaxSecondsByDefault = 86_400;
const pauseMaxMs = 60_000;

/** Retries according to the retry policy, then sends the event to the dead-letter queue. */
export const deliver = async (
  targets: ScheduleTargets,
  { tick, delayScale, signal }: { readonly tick: Tick; readonly delayScale: number; readonly signal: AbortSignal },
): Promise<void> => {
  const { MaximumRetryAttempts: retries = retriesByDefault, MaximumEventAgeInSeconds: ageMaxSeconds = ageMaxSecondsByDefault } =
    tick.target.RetryPolicy ?? {};
  const id = randomUUID();
  const startedMs = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      await start(targets, { tick, id, attempt });
      return;
    } catch (error) {
      signal.throwIfAborted();
      const ageSeconds = ((Date.now() - startedMs) * delayScale) / 1_000;
      if (attempt > retries || ageSeconds > ageMaxSeconds) {
        putAside(targets, { tick, error: error as Error, retries: attempt - 1 });
        return;
      }
      await pause(Math.min(1_000 * 2 ** attempt, pauseMaxMs) / delayScale, undefined, { signal });
    }
  }
};

const start = async (
  targets: ScheduleTargets,
  { tick, id, attempt }: { readonly tick: Tick; readonly id: string; readonly attempt: number },
): Promise<void> => {
  const { Arn: arn, RoleArn: roleArn, SqsParameters: sqs } = tick.target;
  const action = actionOf(arn) ?? '';
  targets.permit(roleArn, actorOf(tick), { action, resources: [arn] });
  const input = inputOf(tick, id, attempt);
  if (action === 'lambda:InvokeFunction') await targets.invoke(arn, parse(input));
  else if (action === 'states:StartExecution') targets.startExecution(arn, input);
  else targets.send({ queueArn: arn, body: input, ...(sqs?.MessageGroupId !== undefined && { groupId: sqs.MessageGroupId }) });
};

/** The Scheduler acts for the schedule's group. */
const actorOf = ({ scheduleArn }: Pick<Tick, 'scheduleArn'>): Actor => ({
  service: 'scheduler.amazonaws.com',
  sourceArn: scheduleArn.replace(/:schedule\/([^/]+)\/.*$/, ':schedule-group/$1'),
});

/** The Scheduler replaces these placeholders in the input. */
const inputOf = ({ scheduleArn, scheduledAt, target }: Tick, id: string, attempt: number): string =>
  (target.Input ?? '{}')
    .replaceAll('<aws.scheduler.schedule-arn>', scheduleArn)
    .replaceAll('<aws.scheduler.scheduled-time>', scheduledAt.toISOString().replace(/\.\d+/, ''))
    .replaceAll('<aws.scheduler.execution-id>', id)
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt));

const parse = (input: string): unknown => {
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
};

const putAside = (
  targets: ScheduleTargets,
  {
    tick: { scheduleArn, scheduledAt, target },
    error,
    retries,
  }: { readonly tick: Tick; readonly error: Error; readonly retries: number },
): void => {
  const { DeadLetterConfig: dead } = target;
  if (!dead?.Arn) return;
  targets.permit(target.RoleArn, actorOf({ scheduleArn }), { action: 'sqs:SendMessage', resources: [dead.Arn] });
  const attributes = {
    SCHEDULE_ARN: scheduleArn,
    TARGET_ARN: target.Arn,
    ERROR_CODE: error.name,
    ERROR_MESSAGE: error.message,
    EXECUTION_TIME: scheduledAt.toISOString(),
    RETRY_ATTEMPTS: String(retries),
    IS_PAYLOAD_TRUNCATED: 'false',
  };
  targets.send({ queueArn: dead.Arn, body: target.Input ?? '{}', attributes });
};
