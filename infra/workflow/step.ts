/** How every step of every workflow runs: bounded in time, tried again with jitter, and with a way out of each failure. */
import { backupTimeoutMinutesMax } from '../../shared/contract/limits.ts';

/** A function that is a step. */
export interface Step {
  readonly arn: string;
  readonly timeoutSeconds: number;
}

/** Room beyond the function's own timeout for Lambda to say that it passed. */
const graceSeconds = 30;

/** Faults of the platform: nothing ran, or nobody knows. Waits up to 60 s, about 2 minutes in all and 4 at most. */
const platformFaults = ['Lambda.ServiceException', 'Lambda.AWSLambdaException', 'Lambda.SdkClientException'];

/** Waits of up to 60 s, of 30 s by chance. */
const waitMaxSeconds = 60;
/**
 * A step that finds no room because others of its kind run did nothing yet, and nothing is wrong: it waits for as long as a backup
 * may take. Whoever gets in looks at the deadline of its job, and the reaper ends what passed it.
 */
export const waitsMax = (2 * backupTimeoutMinutesMax * 60) / waitMaxSeconds;

/**
 * A task in Amazon States Language (JSONPath). Its input is what the state has; what it answers goes where `more` says.
 * `final` are the names of errors that trying again cannot help. What fails for good is told at `$.error`, in state `otherwise`.
 */
export const task = (step: Step, otherwise: string, more: object, final: readonly string[] = []) => ({
  Type: 'Task',
  Resource: step.arn,
  TimeoutSeconds: step.timeoutSeconds + graceSeconds,
  Retry: [
    {
      ErrorEquals: platformFaults,
      IntervalSeconds: 2,
      BackoffRate: 2,
      MaxDelaySeconds: 60,
      MaxAttempts: 8,
      JitterStrategy: 'FULL',
    },
    {
      ErrorEquals: ['Lambda.TooManyRequestsException'],
      IntervalSeconds: 2,
      BackoffRate: 2,
      MaxDelaySeconds: waitMaxSeconds,
      MaxAttempts: waitsMax,
      JitterStrategy: 'FULL',
    },
    ...(final.length > 0 ? [{ ErrorEquals: [...final], MaxAttempts: 0 }] : []),
    {
      // TaskFailed does not cover Timeout.
      ErrorEquals: ['States.TaskFailed', 'States.Timeout'],
      IntervalSeconds: 5,
      BackoffRate: 2,
      MaxDelaySeconds: 300,
      MaxAttempts: 6,
      JitterStrategy: 'FULL',
    },
  ],
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: otherwise }],
  ...more,
});

/** Runs a step again and again until it says `done`, or that it failed for good; its answer is its next input. */
export const untilDone = (
  name: string,
  step: Step,
  otherwise: string,
  then: string,
  { final = [], givenUp }: { readonly final?: readonly string[]; readonly givenUp?: string } = {},
) => ({
  [name]: task(step, otherwise, { Next: `${name} done?` }, final),
  [`${name} done?`]: {
    Type: 'Choice',
    Choices: [...(givenUp ? [ifFailed('$', givenUp)] : []), { Variable: '$.done', BooleanEquals: true, Next: then }],
    Default: name,
  },
});

/** A failure that stands on the record is an answer, not an error of the function: no alarm on errors hears of what customers cause. */
export const ifFailed = (answer: string, then: string) => ({
  And: [
    { Variable: `${answer}.failed`, IsPresent: true },
    { Variable: `${answer}.failed`, BooleanEquals: true },
  ],
  Next: then,
});

/** Where an answer that may say so leads. */
export const unlessFailed = (answer: string, failedState: string, then: string) => ({
  Type: 'Choice',
  Choices: [ifFailed(answer, failedState)],
  Default: then,
});

/** Ends an execution as failed, with the error that led here: the alarm on failed executions rings. */
export const failed = { Type: 'Fail', ErrorPath: '$.error.Error', CausePath: '$.error.Cause' };
