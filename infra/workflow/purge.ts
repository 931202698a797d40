/** Removes an organization piece by piece: each step removes a bounded part and says whether anything is left. */

/** Room beyond the function's own timeout for Lambda to say that it passed. */
const graceSeconds = 30;
/** Longer than any purge takes; an execution that lives on is stuck, not slow. */
const workflowTimeoutSeconds = 24 * 3_600;

/** Faults of the platform: nothing ran, or nobody knows. Waits 2 to 60 s, about 5 minutes in all. */
const platformFaults = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
];

/** Amazon States Language, JSONPath. Removing what is already gone is no error, so every step may run again. */
export const purgeDefinition = (functionArn: string, functionTimeoutSeconds: number) => ({
  Comment: 'Removes an organization piece by piece',
  StartAt: 'Purge',
  TimeoutSeconds: workflowTimeoutSeconds,
  States: {
    Purge: {
      Type: 'Task',
      Resource: functionArn,
      TimeoutSeconds: functionTimeoutSeconds + graceSeconds,
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
          // TaskFailed does not cover Timeout.
          ErrorEquals: ['States.TaskFailed', 'States.Timeout'],
          IntervalSeconds: 5,
          BackoffRate: 2,
          MaxDelaySeconds: 300,
          MaxAttempts: 6,
          JitterStrategy: 'FULL',
        },
      ],
      Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Failed' }],
      Next: 'Done?',
    },
    'Done?': {
      Type: 'Choice',
      Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'Purged' }],
      Default: 'Purge',
    },
    Purged: { Type: 'Succeed' },
    // The sweep asks again within the hour; the alarm on failed executions rings meanwhile.
    Failed: { Type: 'Fail', ErrorPath: '$.error.Error', CausePath: '$.error.Cause' },
  },
});
