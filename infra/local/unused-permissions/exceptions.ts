/** Permissions that are needed although no test run uses them, each with a reason. */
import type { PermissionException } from './report.ts';

export const exceptions: readonly PermissionException[] = [
  {
    lines: / dynamodb:UpdateItem Table LeadingKeys=SEEN#\*$/,
    reason: 'lastSeenAt is updated occasionally, by whichever call happens to come then.',
  },
  {
    lines: /^Auth(Google|Callback)Role dynamodb:(GetItem|BatchGetItem|Query) Table$/,
    reason: 'Read access is granted together with write access; sign-in does not need it today.',
  },
  {
    lines: / kms:Encrypt SecretsKey purpose=provider-grant$/,
    reason: 'A provider may rotate the refresh token at each use; the local provider does not.',
  },
  {
    lines: /^(BackupFail|BackupReap|RestoreFail|RestoreFinish|RestoreReap|Purge)Role sts:AssumeRole /,
    reason: 'Buckets are accessed with keys or through a role; in these tests only with keys.',
  },
  {
    lines: /^(BackupReap|RestoreReap)Role /,
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
    lines: /^(Backup|Restore)WorkflowRole states:(Describe|Stop)Execution /,
    reason: 'Step Functions needs these for a distributed map; the stage runs the items of a map in process.',
  },
  {
    lines: /^DeliverRole (iam:PassRole|scheduler:CreateSchedule|sqs:SendMessage) /,
    reason:
      'A failed first attempt is retried and recorded by the same code as on the retry queue; in the tests attempts fail there.',
  },
  {
    lines: /^FanOutRole sqs:SendMessage Deliveries$/,
    reason: 'Sends each task to the queue of its kind; today only matching uses the delivery queue, and it sends itself.',
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
    lines: /^TaskRole ses:SendEmail ses:configuration-set/,
    reason: 'SES requires it if the deployer set a configuration set.',
  },
  {
    lines: /^\w+ListRole (secretsmanager:GetSecretValue ServiceSecret|kms:Decrypt SecretsKey SecretARN=ServiceSecret)$/,
    reason: 'Encrypts the cursor of a list with more than one page.',
  },
];
