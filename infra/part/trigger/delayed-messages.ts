/** Messages that are due later than a queue can hold them back (900 s): one-time entries of the Scheduler, made by functions. */
import { Aws } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { allow } from '../policy-statements.ts';
import { makeDeadLetters } from './queue-with-dlq.ts';

export interface DelayedMessages {
  /** A group of their own: who may make entries here can neither see nor change a clock of the service. */
  readonly groupName: string;
  readonly roleArn: string;
  /** Where the Scheduler leaves what it could not send. */
  readonly deadLetters: Queue;
}

export const makeLater = (
  scope: Construct,
  id: string,
  props: { name: string; queue: Queue; topic: ITopic },
): DelayedMessages => {
  const group = new CfnScheduleGroup(scope, `${id}Group`);
  const deadLetters = makeDeadLetters(scope, `${id}DeadLetters`, { name: props.name, topic: props.topic });
  const role = new Role(scope, `${id}Role`, {
    description: `Sends what is due of ${props.name} to its queue`,
    // Only entries of this group may take the role.
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group.attrArn } },
    }),
    inlinePolicies: {
      send: new PolicyDocument({
        statements: [allow(['sqs:SendMessage'], [props.queue.queueArn, deadLetters.queueArn])],
      }),
    },
  });
  return { groupName: group.ref, roleArn: role.roleArn, deadLetters };
};
