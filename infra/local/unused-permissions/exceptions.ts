/** Permissions that are needed although no test run uses them, each with a reason. */
import type { PermissionException } from './report.ts';

export const exceptions: readonly PermissionException[] = [
  {
    lines: /^ErasuresCreateRole kms:Decrypt SecretsKey purpose=passphrase$/,
    reason: 'Backups are encrypted by KMS or with a passphrase; in the tests of erasures by KMS.',
  },
  {
    lines: /^SchemaCheckRole /,
    reason: 'CloudFormation calls it at a deployment; the stage deploys nothing.',
  },
  {
    lines: / dynamodb:UpdateItem Table LeadingKeys=SEEN#\*$/,
    reason: 'lastSeenAt is updated occasionally, by whichever call happens to come then.',
  },
  {
    lines: / kms:Encrypt SecretsKey purpose=provider-grant$/,
    reason: 'A provider may rotate the refresh token at each use; the local provider does not.',
  },
  {
    lines: /^(BackupFail|BackupReap|EvidenceGet|RestoreFail|RestoreFinish|RestoreReap|RestoreTestRun|Purge)Role sts:AssumeRole /,
    reason: 'Buckets are accessed with keys or through a role; in these tests only with keys.',
  },
  {
    lines:
      /^(BackupContentsConfiguration(Diff|Restore)?|Documents(Deleted|Locate)|SearchDocuments|ErasuresPreview)Role (sts:AssumeRole |kms:Decrypt SecretsKey purpose=(passphrase|source-credentials|destination-credentials)$)/,
    reason: 'Opens backups and databases as BackupContentsDiff does, whose tests use each kind of access.',
  },
  {
    lines:
      /^(ExportRun|ExportShard|Exports(Content|Create|Files))Role (sts:AssumeRole |kms:Decrypt SecretsKey purpose=passphrase$)/,
    reason: 'Opens backups and buckets as restores do, whose tests use passphrases and roles.',
  },
  {
    lines: / sts:AssumeRole iam:role\/backup-destination\/\*$/,
    reason: "For roles of the service's own account; the journeys back up through roles of other accounts.",
  },
  {
    lines: /^RestoreTestRunRole (sts:AssumeRole GoogleRole|kms:Decrypt SecretsKey purpose=source-credentials)$/,
    reason: 'Databases are accessed with a grant, a key or the role that Google trusts; in these tests with a grant.',
  },
  {
    lines: /^(BackupReap|RestoreReap|RestoreTestReap|ExportReap)Role /,
    reason: 'The reaper fails or restarts workflows that died; none dies in the journeys.',
  },
  {
    lines: /^(CaptureWatch|ScheduleWatch)Role /,
    reason: 'Recovers lost messages; in the journeys almost none is lost.',
  },
  {
    lines: /^(Sweep|RetentionSweep)Role sqs:SendMessage /,
    reason: 'Runs hourly; the journeys do not wait for it.',
  },
  {
    lines: /Role sqs:SendMessage \w+DeadLetters$/,
    reason: 'Receives events that AWS could not deliver for hours or that failed permanently; no test waits for that.',
  },
  {
    lines: /^(Backup|Restore|Export)WorkflowRole states:(Describe|Stop)Execution /,
    reason: 'Step Functions needs these for a distributed map; the stage runs the items of a map in process.',
  },
  {
    lines: /^DeliverRole (iam:PassRole|scheduler:CreateSchedule|sqs:SendMessage) /,
    reason:
      'A failed first attempt is retried and recorded by the same code as on the retry queue; in the tests attempts fail there.',
  },
  {
    lines: /^FanOutRole sqs:SendMessage (CaptureAudits|Deliveries)$/,
    reason:
      'Sends each task to the queue of its kind; today matching sends deliveries itself, and the watchdog of captures audits.',
  },
  {
    lines: /^CaptureAuditRole sqs:SendMessage CaptureAudits$/,
    reason: 'Sends itself what a run of minutes has left; in the tests one run is enough.',
  },
  {
    lines: /^ScheduleRunRole sqs:SendMessage Schedules$/,
    reason: 'Postpones a tick that comes early or while another backup runs; none does in the tests.',
  },
  {
    lines: /^FanOutRole dynamodb:ListStreams /,
    reason: 'Lambda requires it of a role that reads a stream.',
  },
  {
    lines: /^(Task|Incident|AlertsTest)Role ses:SendEmail ses:configuration-set/,
    reason: 'SES requires it if the deployer set a configuration set.',
  },
];
