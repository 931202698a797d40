/** A function invoked at intervals. Events that the Scheduler or Lambda cannot deliver are dead-lettered. */

import { Aws, Duration } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEventInvokeConfig, type Function as Fn } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { allow, makeRole } from '../allow.ts';
import { addAlarm } from '../observe/alarm.ts';

interface ClockProps {
  readonly name: string;
  readonly everyMinutes: number;
  /** A small account spreads the runs, which would otherwise begin together, over this time. 0: it does not. */
  readonly windowMinutes: number;
  readonly target: Fn;
  readonly deadLetters: Queue;
  readonly topic: ITopic;
}

/** The next run comes within the hour, so older events are dropped. */
const eventAgeMaxSeconds = 3_600;
const deliveryRetries = 10;
/** Lambda's maximum; it waits one and two minutes before them. */
export const runRetries = 2;

/** A watchdog that does not run fails no request, so its absence raises an alarm after this many missed runs. */
const runsMissedMax = 3;

export const addPeriodicTrigger = (scope: Construct, id: string, props: ClockProps): void => {
  const rate = `rate(${props.everyMinutes} minutes)`;
  const role = makeRole(scope, `${id}ClockRole`, {
    description: `Invokes ${props.name} at ${rate}`,
    // Only schedules of this account may assume the role.
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
    statements: [
      allow(['lambda:InvokeFunction'], [props.target.functionArn]),
      allow(['sqs:SendMessage'], [props.deadLetters.queueArn]),
    ],
  });
  new CfnSchedule(scope, `${id}Clock`, {
    description: `Invokes ${props.name} at ${rate}`,
    scheduleExpression: rate,
    flexibleTimeWindow:
      props.windowMinutes > 0 ? { mode: 'FLEXIBLE', maximumWindowInMinutes: props.windowMinutes } : { mode: 'OFF' },
    target: {
      arn: props.target.functionArn,
      roleArn: role.roleArn,
      input: '{}',
      retryPolicy: { maximumRetryAttempts: deliveryRetries, maximumEventAgeInSeconds: eventAgeMaxSeconds },
      deadLetterConfig: { arn: props.deadLetters.queueArn },
    },
  });
  // The Scheduler is done once Lambda has accepted the event; later failures are retried and dead-lettered by Lambda.
  new CfnEventInvokeConfig(scope, `${id}Retries`, {
    functionName: props.target.functionName,
    qualifier: '$LATEST',
    maximumRetryAttempts: runRetries,
    maximumEventAgeInSeconds: eventAgeMaxSeconds,
    destinationConfig: { onFailure: { destination: props.deadLetters.queueArn } },
  });
  const silenceMinutes = runsMissedMax * props.everyMinutes;
  addAlarm(scope, {
    name: `${props.name}-silent`,
    description: `${props.name} has not run for ${silenceMinutes} minutes`,
    metric: props.target.metricInvocations({ period: Duration.minutes(silenceMinutes), statistic: 'Sum' }),
    below: 1,
    topic: props.topic,
  });
};
