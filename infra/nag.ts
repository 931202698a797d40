/** Accepted findings of cdk-nag with their reasons. A test runs the rule packs and fails on any other finding. */
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

interface Acceptance {
  /** The construct and everything below it. */
  readonly path: RegExp;
  readonly rules: readonly string[];
  readonly reason: string;
}

export const acceptances: readonly Acceptance[] = [
  {
    path: /^Data\/ServiceSecret$/,
    rules: ['AwsSolutions-SMG4'],
    reason: 'Keys are derived from it: rotation would invalidate all cursors, stored responses and invitation links.',
  },
  {
    path: /^Data\/IdentitySecret$/,
    rules: ['AwsSolutions-SMG4'],
    reason: 'Issued by the identity provider; only the deployer can rotate it there.',
  },
  {
    path: /^(Api|Extension)\/\w+Route$/,
    rules: ['AwsSolutions-APIG4'],
    reason: 'Each contract endpoint states its access rule, and the function enforces it against the current membership.',
  },
  {
    path: /^(Api|Engine|Extension)\/\w+Role$/,
    rules: ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'],
    reason: 'X-Ray and log delivery have no resource ARNs; a law test allows * for these actions only.',
  },
  {
    path: /^(Api|Engine|Extension)\/\w+Role$/,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/*]',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::<AWS::AccountId>:role/backup-destination/*]',
    ],
    reason:
      "Customers' roles are in their own accounts, or in this one below one path; each trusts the service only with its ExternalId.",
  },
  {
    path: /^Engine\/(Backup|Restore|RestoreTest|Export)ReapRole$/,
    rules: ['AwsSolutions-IAM5'],
    reason: 'Describes and stops executions of its workflow, whose names are known only at run time.',
  },
  ...['Backup', 'Restore', 'Export'].map((workflow) => ({
    path: new RegExp(`^Engine/${workflow}WorkflowRole$`),
    rules: [':*', '/*:*'].map(
      (executions) =>
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:backup-management-service-${workflow.toLowerCase()}${executions}]`,
    ),
    reason: 'The map describes and stops its child executions, whose names are known only at run time.',
  })),
  ...[/^Engine\/(Task|Incident)Role$/, /^Extension\/AlertsTestRole$/].map((path) => ({
    path,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:configuration-set/*]',
    ],
    reason:
      'Which SES identity is checked depends on what the deployer verified; the condition restricts the sender to one address.',
  })),
  {
    path: /^Engine\/Deliver(Retry)?Role$/,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/<RetriesGroup>/*]',
    ],
    reason: 'Each delayed retry is a schedule named after its delivery; the group contains nothing else.',
  },
  {
    path: /^Engine\/(ScheduleRun|Purge)Role$/,
    rules: ['AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/<TicksGroup>/*]'],
    reason: "Customers' schedules are created at run time; the group contains nothing else.",
  },
  {
    path: /^Engine\/\w+DeadLetters$/,
    rules: ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy'],
    reason: 'It is the dead-letter queue.',
  },
  {
    path: /^Engine\/(Task|BucketWork|EventMatch|Deliver|DeliverRetry|ScheduleRun|Capture|CaptureAudit|Incident|AlertDeliver)Feed$/,
    rules: ['Serverless-LambdaEventSourceMappingDestination'],
    reason: 'Failed messages return to their queue, whose redrive policy handles them; failure destinations are for streams.',
  },
  {
    path: /^(Api|Engine|Extension)\/\w+$/,
    rules: ['Serverless-LambdaDLQ'],
    reason:
      'API functions and steps are called synchronously; the mappings and periodic triggers have their own dead-letter queues.',
  },
];

/** Adds the rule packs to the app, so that synthesis fails on findings that are not accepted. */
export const withNag = (app: App): App => {
  for (const construct of app.node.findAll()) {
    for (const { rules, reason } of acceptances.filter((accepted) => accepted.path.test(construct.node.path))) {
      Validations.of(construct).acknowledge(...rules.map((id) => ({ id: `${id.split('-')[0]}::${id}`, reason })));
    }
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};
