/** The standard workflow: fully logged, traced, allowed to invoke only its own steps, with alarms for failures. */
import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Fn } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { allow, makeRole } from '../allow.ts';
import { deploymentName } from '../deployment-name.ts';
import { addAlarm, alarmPeriod } from '../observe/alarm.ts';
import { makeVendedLogGroup } from '../observe/log-group.ts';

interface StateMachineProps {
  readonly name: string;
  /** The functions of its tasks. */
  readonly steps: readonly Fn[];
  /** Amazon States Language. */
  readonly definition: object;
  readonly topic: ITopic;
  /** Whether it has a distributed map, whose items are executions of the workflow itself. */
  readonly isDistributed?: boolean;
}

export const makeStateMachine = (scope: Construct, id: string, props: StateMachineProps): CfnStateMachine => {
  const logGroup = makeVendedLogGroup(scope, `${id}Logs`);
  // A fixed name: the role refers to the workflow and the workflow to the role, so neither can wait for the other's name.
  const stateMachineName = props.isDistributed ? `${deploymentName(scope)}-${props.name}` : undefined;
  const role = makeRole(scope, `${id}Role`, {
    description: `Runs the steps of the ${props.name} workflow`,
    // Only workflows of this account may assume the role.
    assumedBy: new ServicePrincipal('states.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
    statements: [
      allow(
        ['lambda:InvokeFunction'],
        props.steps.map((step) => step.functionArn),
      ),
      // Log delivery and X-Ray have no resource ARNs.
      allow([...logDelivery, ...tracing], ['*']),
      ...(stateMachineName ? ownExecutions(scope, stateMachineName) : []),
    ],
  });
  const workflow = new CfnStateMachine(scope, id, {
    stateMachineType: 'STANDARD',
    ...(stateMachineName && { stateMachineName }),
    roleArn: role.roleArn,
    definitionString: Stack.of(scope).toJsonString(props.definition),
    loggingConfiguration: {
      level: 'ALL',
      includeExecutionData: true,
      destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logGroup.logGroupArn } }],
    },
    tracingConfiguration: { enabled: true },
  });
  for (const [outcome, metricName] of [
    ['failed', 'ExecutionsFailed'],
    ['timed-out', 'ExecutionsTimedOut'],
  ] as const) {
    addAlarm(scope, {
      name: `${props.name}-workflow-${outcome}`,
      description: `An execution of the ${props.name} workflow ${outcome.replace('-', ' ')}`,
      metric: new Metric({
        namespace: 'AWS/States',
        metricName,
        dimensionsMap: { StateMachineArn: workflow.attrArn },
        statistic: 'Sum',
        period: alarmPeriod,
      }),
      above: 0,
      topic: props.topic,
    });
  }
  return workflow;
};

/** Permissions of a distributed map: starts an execution per item, describes it, and stops the others when one fails. */
const ownExecutions = (scope: Construct, name: string): readonly PolicyStatement[] => {
  const arn = (resource: string, resourceName: string): string =>
    Stack.of(scope).formatArn({ service: 'states', resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  return [
    allow(['states:StartExecution'], [arn('stateMachine', name)]),
    // Executions of a map run have its label appended to the name.
    allow(['states:DescribeExecution', 'states:StopExecution'], [arn('execution', `${name}:*`), arn('execution', `${name}/*:*`)]),
  ];
};

const logDelivery = [
  'logs:CreateLogDelivery',
  'logs:GetLogDelivery',
  'logs:UpdateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:DescribeResourcePolicies',
  'logs:DescribeLogGroups',
];
const tracing = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSamplingRules', 'xray:GetSamplingTargets'];
