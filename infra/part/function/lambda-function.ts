/** The standard Lambda function: arm64, Node 24, traced, with log retention and its own role. */
import { type CfnResource, Duration } from 'aws-cdk-lib';
import { type PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Capability } from '../../../shared/contract/capabilities.ts';
import { metricNamespace } from '../../../shared/contract/runtime/metric-names.ts';
import { allow, makeRole } from '../allow.ts';
import { deploymentNamespace } from '../deployment-name.ts';
import { tagForGoogle } from '../google-role.ts';
import { grant, usesGoogleRole } from './grant.ts';
import type { ResourceNames } from './resource-names.ts';

/** The code of an entry file: an esbuild bundle to deploy, or a line of text to synthesize only. */
export type CodeOf = (entry: string) => lambda.Code;

export interface FnProps {
  /** functions/….ts */
  readonly entry: string;
  readonly exportName: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes?: number | undefined;
  /** Reserved concurrency, which is also the maximum. Undefined: uses the unreserved rest. */
  readonly concurrencyMax?: number | undefined;
  /** Without it Lambda drops messages that return to the same function about 16 times (recursive loop detection). */
  readonly sendsToItself?: boolean | undefined;
  readonly capabilities: readonly Capability[];
  readonly parts: ResourceNames;
  readonly code: CodeOf;
  readonly logGroup: LogGroup;
  /** Variables besides those of the capabilities. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Permissions of the trigger, such as reading the stream or the queue. */
  readonly trigger?: readonly PolicyStatement[];
}

/** Gives Node a third of a core. Less saves nothing, because start-up takes longer. */
const memoryMegabytes = 512;

export const makeFunction = (scope: Construct, id: string, props: FnProps): lambda.Function => {
  const { statements, variables } = grant(props.parts, props.capabilities);
  const namespace = deploymentNamespace(scope);
  const role = makeRole(scope, `${id}Role`, {
    description: `Runs ${props.entry} ${props.exportName}`,
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    statements: [
      allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [props.logGroup.logGroupArn]),
      // X-Ray has no resource ARNs.
      allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']),
      ...statements,
      ...(props.trigger ?? []),
    ],
  });
  if (props.capabilities.some(usesGoogleRole)) tagForGoogle(role);
  const fn = new lambda.Function(scope, id, {
    description: props.description,
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    handler: `index.${props.exportName}`,
    code: props.code(props.entry),
    // The role is complete: nothing may extend it later.
    role: role.withoutPolicyUpdates(),
    memorySize: props.memoryMegabytes ?? memoryMegabytes,
    timeout: Duration.seconds(props.timeoutSeconds),
    ...(props.concurrencyMax !== undefined && { reservedConcurrentExecutions: props.concurrencyMax }),
    ...(props.sendsToItself && { recursiveLoop: lambda.RecursiveLoop.ALLOW }),
    tracing: lambda.Tracing.ACTIVE,
    loggingFormat: lambda.LoggingFormat.JSON,
    logGroup: props.logGroup,
    environment: {
      ...variables,
      ...props.environment,
      ...(namespace !== metricNamespace && { METRIC_NAMESPACE: namespace }),
    },
  });
  // The source of the bundle; the local stage runs this file.
  (fn.node.defaultChild as CfnResource).addMetadata('entry', props.entry);
  return fn;
};
