/** The building blocks of all workflows: tasks with a timeout, retries with jitter and a handler for every failure. */
import { backupTimeoutMinutesMax } from '../../shared/contract/limits.ts';

/** A function that runs as a step. */
export interface Step {
  readonly arn: string;
  readonly timeoutSeconds: number;
}

/** Time beyond the function's timeout for Lambda to report it. */
const graceSeconds = 30;

/** Errors of the platform: the function did not run, or the outcome is unknown. Waits of up to 60 s, about 2 minutes in total. */
const platformFaults = ['Lambda.ServiceException', 'Lambda.AWSLambdaException', 'Lambda.SdkClientException'];

const throttled = 'Lambda.TooManyRequestsException';

const backoff = { BackoffRate: 2, JitterStrategy: 'FULL' };
/** Full jitter: 30 s on average. */
const waitMaxSeconds = 60;
/**
 * A throttled step has done nothing yet, so it waits as long as a backup may take. A step checks its job's deadline when it starts,
 * and the reaper ends jobs beyond theirs.
 */
export const waitsMax = (2 * backupTimeoutMinutesMax * 60) / waitMaxSeconds;

/**
 * A database or bucket does not answer. Steps that record their failures also decide when their job has waited for long enough
 * (shared/job/outage.ts). With full jitter a job continues 15 s after the end of an outage on average.
 */
const untilGivenUp = {
  ErrorEquals: ['SourceError', 'StorageError'],
  IntervalSeconds: 5,
  MaxDelaySeconds: 30,
  MaxAttempts: waitsMax,
  ...backoff,
};

/**
 * A task in Amazon States Language (JSONPath). `fields` says where its result goes. `notRetried` lists errors.
 * A permanent failure is stored in `$.error` and leads to the state `onFailure`.
 */
export const task = (
  step: Step,
  {
    onFailure,
    fields,
    notRetried = [],
  }: { readonly onFailure: string; readonly fields: object; readonly notRetried?: readonly string[] | undefined },
) => ({
  Type: 'Task',
  Resource: step.arn,
  TimeoutSeconds: step.timeoutSeconds + graceSeconds,
  Retry: [
    { ErrorEquals: platformFaults, IntervalSeconds: 2, MaxDelaySeconds: 60, MaxAttempts: 8, ...backoff },
    { ErrorEquals: [throttled], IntervalSeconds: 2, MaxDelaySeconds: waitMaxSeconds, MaxAttempts: waitsMax, ...backoff },
    ...(notRetried.length > 0 ? [{ ErrorEquals: [...notRetried], MaxAttempts: 0 }, untilGivenUp] : []),
    // TaskFailed does not include Timeout.
    {
      ErrorEquals: ['States.TaskFailed', 'States.Timeout'],
      IntervalSeconds: 5,
      MaxDelaySeconds: 300,
      MaxAttempts: 6,
      ...backoff,
    },
  ],
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: onFailure }],
  ...fields,
});

interface UntilDoneOptions {
  readonly step: Step;
  readonly onFailure: string;
  readonly next: string;
  readonly notRetried?: readonly string[] | undefined;
  /** The state after a failure that the step has recorded. */
  readonly givenUp?: string | undefined;
}

/** Repeats a step until it returns `done` or a permanent failure; its result is its next input. */
export const untilDone = (name: string, { step, onFailure, next, notRetried, givenUp }: UntilDoneOptions) => ({
  [name]: task(step, { onFailure, fields: { Next: `${name} done?` }, notRetried }),
  [`${name} done?`]: {
    Type: 'Choice',
    Choices: [...(givenUp ? [ifFailed('$', givenUp)] : []), { Variable: '$.done', BooleanEquals: true, Next: next }],
    Default: name,
  },
});

/** A recorded failure is a result, not a function error, so failures caused by customers raise no alarm. */
export const ifFailed = (answer: string, then: string) => ifTrue(`${answer}.failed`, then);

export const ifTrue = (variable: string, then: string) => ({
  And: [
    { Variable: variable, IsPresent: true },
    { Variable: variable, BooleanEquals: true },
  ],
  Next: then,
});

export const unlessFailed = (answer: string, failedState: string, then: string) => ({
  Type: 'Choice',
  Choices: [ifFailed(answer, failedState)],
  Default: then,
});

interface EveryShardOptions {
  /** 'Copy' has the states 'Copy shard', 'Copy done', 'Copy failed' and 'Copy given up'. */
  readonly name: string;
  readonly step: Step;
  /** The fields of the workflow's input that each shard gets. */
  readonly fields: readonly string[];
  readonly concurrencyMax: number;
  readonly notRetried: readonly string[];
  readonly next: string;
}

/** Runs a step for every shard of `$.plan`, repeatedly until each is done. A failed shard leads to the state `Fail`. */
export const everyShard = ({ name, step, fields, concurrencyMax, notRetried, next }: EveryShardOptions) => ({
  Type: 'Map',
  ItemsPath: '$.plan.shards',
  ItemSelector: {
    ...Object.fromEntries(fields.map((field) => [`${field}.$`, `$.${field}`])),
    'shard.$': '$$.Map.Item.Value',
  },
  MaxConcurrency: concurrencyMax,
  ItemProcessor: {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
    StartAt: `${name} shard`,
    States: {
      ...untilDone(`${name} shard`, {
        step,
        onFailure: `${name} failed`,
        next: `${name} done`,
        notRetried,
        givenUp: `${name} given up`,
      }),
      [`${name} done`]: { Type: 'Pass', Parameters: {}, End: true },
      [`${name} failed`]: failed(),
      [`${name} given up`]: { Type: 'Fail', Error: 'JobFailed', Cause: 'The reason is stored in the record of the job' },
    },
  },
  ResultPath: null,
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Fail' }],
  Next: next,
});

/**
 * Fails the execution with the error in `$.error`: the alarm on failed executions fires. A new object for every state, because
 * engines write their defaults into the definitions they run.
 */
export const failed = () => ({ Type: 'Fail', ErrorPath: '$.error.Error', CausePath: '$.error.Cause' });
