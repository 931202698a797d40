/** Permissions that no test run uses and that stay all the same, each with the reason. What a test begins to use must go from here. */
import type { Kept } from './report.ts';

export const kept: readonly Kept[] = [
  {
    lines: / dynamodb:UpdateItem Table LeadingKeys=SEEN#\*$/,
    reason: 'Who was seen is noted once in a while, at whatever call happens to come then.',
  },
  {
    lines: /^Auth(Google|Callback)Role dynamodb:(GetItem|BatchGetItem|Query) Table$/,
    reason: 'Reading is granted with writing, as one use; what a sign-in keeps needs none of it today.',
  },
  {
    lines: / kms:Encrypt SecretsKey purpose=provider-grant$/,
    reason:
      'A provider may give another refresh token at each use, which then takes the place of the one before; the local one gives none.',
  },
  {
    lines: /^(BackupFail|BackupReap|RestoreFail|RestoreFinish|RestoreReap|Purge)Role sts:AssumeRole /,
    reason: 'A bucket is reached with keys or by a role, as its owner chose; in the tests these meet only keys.',
  },
  {
    lines: /^(BackupReap|RestoreReap)Role /,
    reason: 'A workflow that died is ended, or begun once more, with all that belongs to it; none dies in the journeys.',
  },
  {
    lines: /^(CaptureWatch|ScheduleWatch)Role /,
    reason: 'It makes up for what did not come; in the journeys nearly everything comes.',
  },
  {
    lines: /^(Sweep|RetentionSweep)Role sqs:SendMessage /,
    reason: 'Once an hour it asks for what is due; the journeys do not wait for the hour.',
  },
  {
    lines: /Role sqs:SendMessage \w+DeadLetters$/,
    reason: 'What AWS cannot deliver for hours, or what failed for good, is put aside; no test waits for that.',
  },
  {
    lines: /^(Backup|Restore)WorkflowRole states:(Describe|Stop)Execution /,
    reason: 'Step Functions asks for these of a workflow with a distributed map; the stage runs the items of a map in place.',
  },
  {
    lines: /^DeliverRole (iam:PassRole|scheduler:CreateSchedule|sqs:SendMessage) /,
    reason:
      'An endpoint that was quick and now fails is tried later and told of as on the slow lane, by the same code; in the tests it fails there.',
  },
  {
    lines: /^FanOutRole sqs:SendMessage Deliveries$/,
    reason:
      'It hands each task to the queue that the task names; nobody names the quick lane today but the matching, which sends itself.',
  },
  {
    lines: /^ScheduleRunRole sqs:SendMessage Schedules$/,
    reason: 'A tick that comes while another backup runs, or before its time, is put off; in the tests none does.',
  },
  {
    lines: /^FanOutRole dynamodb:ListStreams /,
    reason: 'Lambda asks for it of a role that reads a stream.',
  },
  {
    lines: /^TaskRole ses:SendEmail ses:configuration-set/,
    reason: 'SES asks for it where the deployer gave the sender a configuration set.',
  },
  {
    lines: /^\w+ListRole (secretsmanager:GetSecretValue ServiceSecret|kms:Decrypt SecretsKey SecretARN=ServiceSecret)$/,
    reason: 'A cursor is sealed where a list has more than one page.',
  },
];
