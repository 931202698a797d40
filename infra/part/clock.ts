/** A function that a clock starts. What the Scheduler or Lambda cannot deliver goes to the dead letters. */

import { Aws } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnEventInvokeConfig, type Function as Fn } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

export interface ClockProps {
  readonly name: string;
  /** Such as `rate(1 hour)`. */
  readonly rate: string;
  readonly target: Fn;
  readonly deadLetters: Queue;
}

/** The next hour at the latest brings the next try, so an older event is not worth delivering. */
const eventAgeMaxSeconds = 3_600;
const deliveryRetries = 10;
/** Lambda's maximum; the waits before them are one minute and two. */
export const runRetries = 2;

export const startByClock = (scope: Construct, id: string, props: ClockProps): void => {
  const role = new Role(scope, `${id}ClockRole`, {
    description: `Starts ${props.name} at ${props.rate}`,
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
    description: `Starts ${props.name} at ${props.rate}`,
    scheduleExpression: props.rate,
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
};
