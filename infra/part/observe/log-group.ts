/** One log group for each stack's functions: a request id finds all its lines in one place, and stacks stay below 500 resources. */
import { Aws, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

export const makeLogGroup = (scope: Construct, id: string, logGroupName?: string): LogGroup =>
  new LogGroup(scope, id, {
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(logGroupName !== undefined && { logGroupName }),
  });

/**
 * For what a service writes by itself, such as workflows and the gateway: every group outside this prefix would take a line of one
 * policy of the account, which has room for some dozens. The stack's own id, since a group that was kept is not made a second time.
 */
export const makeVendedLogGroup = (scope: Construct, id: string): LogGroup =>
  makeLogGroup(scope, id, `/aws/vendedlogs/backup-management-service/${Fn.select(2, Fn.split('/', Aws.STACK_ID))}/${id}`);
