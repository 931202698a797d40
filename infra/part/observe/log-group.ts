/** One log group per stack: a request id finds all lines in one group, and stacks stay below 500 resources. */
import { Aws, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { deploymentName } from '../deployment-name.ts';

export const makeLogGroup = (scope: Construct, id: string, logGroupName?: string): LogGroup =>
  new LogGroup(scope, id, {
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(logGroupName !== undefined && { logGroupName }),
  });

/**
 * For logs that a service writes itself (workflows, the gateway): log groups outside this prefix use up an account-wide policy
 * with room for a few dozen. The name contains the stack's id, because a retained group cannot be created again.
 */
export const makeVendedLogGroup = (scope: Construct, id: string): LogGroup =>
  makeLogGroup(scope, id, `/aws/vendedlogs/${deploymentName(scope)}/${Fn.select(2, Fn.split('/', Aws.STACK_ID))}/${id}`);
