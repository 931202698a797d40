/** Names and ARNs of the stacks' resources, as grants and variables need them. */
import type { Variable } from '../../shared/contract/capabilities.ts';

export interface ResourceNames {
  readonly tableName: string;
  readonly tableArn: string;
  /** The first key signs; all verify. */
  readonly tokenKeyArns: readonly [string, ...string[]];
  readonly secretsKeyArn: string;
  /** Wraps the data keys of backups. */
  readonly dataKeyArn: string;
  readonly serviceSecretArn: string;
  readonly identitySecretArn: string;
  readonly taskQueueUrl: string;
  readonly taskQueueArn: string;
  readonly bucketWorkQueueUrl: string;
  readonly bucketWorkQueueArn: string;
  readonly eventMatchQueueUrl: string;
  readonly eventMatchQueueArn: string;
  readonly deliveryQueueUrl: string;
  readonly deliveryQueueArn: string;
  readonly deliveryRetryQueueUrl: string;
  readonly deliveryRetryQueueArn: string;
  readonly scheduleQueueUrl: string;
  readonly scheduleQueueArn: string;
  readonly captureQueueUrl: string;
  readonly captureQueueArn: string;
  /** The group of customers' schedules. */
  readonly scheduleGroupName: string;
  /** The role under which the Scheduler runs them. */
  readonly scheduleRoleArn: string;
  /** The dead-letter queue of the Scheduler. */
  readonly scheduleDeadLettersArn: string;
  /** The group of one-time schedules for delivery attempts beyond a queue's maximum delay. */
  readonly retryGroupName: string;
  /** The role under which the Scheduler runs them. */
  readonly retryRoleArn: string;
  /** The dead-letter queue of the Scheduler. */
  readonly retryDeadLettersArn: string;
  readonly purgeWorkflowArn: string;
  readonly backupWorkflowArn: string;
  readonly verifyWorkflowArn: string;
  readonly restoreWorkflowArn: string;
  /** All SES identities and configuration sets of the account. */
  readonly mailArns: readonly string[];
  /** Values that need no permission. */
  readonly settings: Readonly<Record<Exclude<Variable, keyof Named>, string>>;
}

/** The variables that name a resource; all others are settings. */
interface Named {
  readonly TABLE_NAME: string;
  readonly TOKEN_KEY_IDS: string;
  readonly SERVICE_SECRET_ID: string;
  readonly IDENTITY_SECRET_ID: string;
  readonly SECRETS_KEY_ID: string;
  readonly TASK_QUEUE_URL: string;
  readonly BUCKET_WORK_QUEUE_URL: string;
  readonly EVENT_MATCH_QUEUE_URL: string;
  readonly DELIVERY_QUEUE_URL: string;
  readonly DELIVERY_RETRY_QUEUE_URL: string;
  readonly DELIVERY_RETRY_QUEUE_ARN: string;
  readonly SCHEDULE_QUEUE_URL: string;
  readonly SCHEDULE_QUEUE_ARN: string;
  readonly CAPTURE_QUEUE_URL: string;
  readonly SCHEDULE_GROUP_NAME: string;
  readonly SCHEDULE_ROLE_ARN: string;
  readonly SCHEDULE_DEAD_LETTERS_ARN: string;
  readonly RETRY_GROUP_NAME: string;
  readonly RETRY_ROLE_ARN: string;
  readonly RETRY_DEAD_LETTERS_ARN: string;
  readonly PURGE_WORKFLOW_ARN: string;
  readonly BACKUP_WORKFLOW_ARN: string;
  readonly VERIFY_WORKFLOW_ARN: string;
  readonly RESTORE_WORKFLOW_ARN: string;
  readonly DATA_KEY_ID: string;
}
