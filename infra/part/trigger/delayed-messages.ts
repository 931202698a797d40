/** Messages delayed beyond SQS's 900 s: one-time schedules created by functions. */
import { Aws } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { allow, makeRole } from '../allow.ts';
import { makeDeadLetterQueue } from './queue-with-dlq.ts';

export interface DelayedMessages {
  /** A separate group: functions that create schedules here can neither read nor change other schedules of the service. */
  readonly groupName: string;
  readonly roleArn: string;
  /** Messages the Scheduler could not send. */
  readonly deadLetters: Queue;
}

export const makeDelayedMessages = (
  scope: Construct,
  id: string,
  props: { name: string; queue: Queue; topic: ITopic },
): DelayedMessages => {
  const group = new CfnScheduleGroup(scope, `${id}Group`);
  const deadLetters = makeDeadLetterQueue(scope, `${id}DeadLetters`, { name: props.name, topic: props.topic });
  const role = makeRole(scope, `${id}Role`, {
    description: `Sends due messages of ${props.name} to their queue`,
    // Only schedules of this group may assume the role.
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group.attrArn } },
    }),
    statements: [allow(['sqs:SendMessage'], [props.queue.queueArn, deadLetters.queueArn])],
  });
  return { groupName: group.ref, roleArn: role.roleArn, deadLetters };
};
