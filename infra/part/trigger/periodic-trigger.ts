/** A function that a clock starts. What the Scheduler or Lambda cannot deliver goes to the dead letters. */

import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEventInvokeConfig, type Function as Fn } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { addAlarm } from '../observe/alarm.ts';

export interface ClockProps {
  readonly name: string;
  /** Minutes from one run to the next. */
  readonly everyMinutes: number;
  readonly target: Fn;
  readonly deadLetters: Queue;
  readonly topic: ITopic;
}

/** The next hour at the latest brings the next try, so an older event is not worth delivering. */
const eventAgeMaxSeconds = 3_600;
const deliveryRetries = 10;
/** Lambda's maximum; the waits before them are one minute and two. */
export const runRetries = 2;

/** Who watches over others fails nobody's call by not running: it rings when that many runs in a row did not come. */
const runsMissedMax = 3;

export const addPeriodicTrigger = (scope: Construct, id: string, props: ClockProps): void => {
  const rate = `rate(${props.everyMinutes} minutes)`;
  const role = new Role(scope, `${id}ClockRole`, {
    description: `Starts ${props.name} at ${rate}`,
    // Only schedules of this account may take the role.
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
    inlinePolicies: {
      start: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [props.target.functionArn] }),
          new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [props.deadLetters.queueArn] }),
        ],
      }),
    },
  });
  new CfnSchedule(scope, `${id}Clock`, {
    description: `Starts ${props.name} at ${rate}`,
    scheduleExpression: rate,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: props.target.functionArn,
      roleArn: role.roleArn,
      input: '{}',
      retryPolicy: { maximumRetryAttempts: deliveryRetries, maximumEventAgeInSeconds: eventAgeMaxSeconds },
      deadLetterConfig: { arn: props.deadLetters.queueArn },
    },
  });
  // The Scheduler's word is taken once Lambda has the event; what fails after that is Lambda's to retry and to put aside.
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
    says: `${props.name} has not run for ${silenceMinutes} minutes`,
    metric: props.target.metricInvocations({ period: Duration.minutes(silenceMinutes), statistic: 'Sum' }),
    below: 1,
    topic: props.topic,
  });
};
