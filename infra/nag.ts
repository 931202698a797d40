/** The rules of cdk-nag that we do not follow, where, and why. A test runs the packs; any finding not written here fails it. */
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

interface Acceptance {
  /** The construct and all below it. */
  readonly path: RegExp;
  readonly rules: readonly string[];
  readonly reason: string;
}

export const acceptances: readonly Acceptance[] = [
  {
    path: /^Data\/ServiceSecret$/,
    rules: ['AwsSolutions-SMG4'],
    reason: 'Keys are derived from it: a rotation would void every cursor, stored answer and invitation link at once.',
  },
  {
    path: /^Data\/IdentitySecret$/,
    rules: ['AwsSolutions-SMG4'],
    reason: 'The identity provider issues it; only its owner can rotate it there.',
  },
  {
    path: /^Api\/\w+Route$/,
    rules: ['AwsSolutions-APIG4'],
    reason: 'Each row of the contract states who may call it and the function itself asks, with a live look at membership.',
  },
  {
    path: /^(Api|Engine)\/\w+Role$/,
    rules: ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'],
    reason: 'X-Ray and log deliveries have no resources to name; a law test allows * to these actions only.',
  },
  {
    path: /^(Api|Engine)\/\w+Role$/,
    rules: ['AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/*]'],
    reason: "Customers' roles are in their own accounts; each trusts us only with the ExternalId it was told.",
  },
  {
    path: /^Engine\/(Backup|Restore)ReapRole$/,
    rules: ['AwsSolutions-IAM5'],
    reason: 'It looks at and ends executions of its workflow; their names are known only when they start.',
  },
  {
    path: /^Engine\/BackupWorkflowRole$/,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:backup-management-service-backup:*]',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:backup-management-service-backup/*:*]',
    ],
    reason: 'Its map watches and ends the executions of its items; they are named when they start.',
  },
  {
    path: /^Engine\/RestoreWorkflowRole$/,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:backup-management-service-restore:*]',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:backup-management-service-restore/*:*]',
    ],
    reason: 'Its map watches and ends the executions of its items; they are named when they start.',
  },
  {
    path: /^Engine\/TaskRole$/,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*]',
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:configuration-set/*]',
    ],
    reason: 'Which identity SES asks for depends on what the deployer verified; the condition holds the sender to one address.',
  },
  {
    path: /^Engine\/Deliver(Slow)?Role$/,
    rules: [
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/<RetriesGroup>/*]',
    ],
    reason: 'Each late retry is an entry of its own, named by its delivery; the group has no others.',
  },
  {
    path: /^Engine\/(ScheduleRun|Purge)Role$/,
    rules: ['AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/<TicksGroup>/*]'],
    reason: "Customers' schedules are entries that are named when they are made; the group has no others.",
  },
  {
    path: /^Engine\/\w+DeadLetters$/,
    rules: ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy'],
    reason: 'It is the dead-letter queue.',
  },
  {
    path: /^Engine\/(Task|Chore|Match|Deliver|DeliverSlow|ScheduleRun|Capture)Feed$/,
    rules: ['Serverless-LambdaEventSourceMappingDestination'],
    reason: 'What fails goes back to its queue, whose redrive policy puts it aside; a destination is for streams.',
  },
  {
    path: /^(Api|Engine)\/\w+$/,
    rules: ['Serverless-LambdaDLQ'],
    reason:
      'Callers wait for API functions and steps; the mappings and the clock have dead letters of their own, on the mapping and on the invoke configuration.',
  },
];

/** The app with the packs added, so that its synthesis fails on any finding we have not accepted. */
export const withNag = (app: App): App => {
  for (const construct of app.node.findAll()) {
    for (const { rules, reason } of acceptances.filter((accepted) => accepted.path.test(construct.node.path))) {
      Validations.of(construct).acknowledge(...rules.map((id) => ({ id: `${id.split('-')[0]}::${id}`, reason })));
    }
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};
