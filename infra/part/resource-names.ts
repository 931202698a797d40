/** What the stacks are made of, as grants and variables need to name it. */
import type { Variable } from '../../shared/contract/capabilities.ts';

export interface ResourceNames {
  readonly tableName: string;
  readonly tableArn: string;
  /** The first signs; all verify. */
  readonly tokenKeyArns: readonly [string, ...string[]];
  readonly secretsKeyArn: string;
  /** Wraps the data keys of backups. */
  readonly dataKeyArn: string;
  readonly serviceSecretArn: string;
  readonly identitySecretArn: string;
  readonly taskQueueUrl: string;
  readonly taskQueueArn: string;
  readonly choreQueueUrl: string;
  readonly choreQueueArn: string;
  readonly matchQueueUrl: string;
  readonly matchQueueArn: string;
  readonly deliveryQueueUrl: string;
  readonly deliveryQueueArn: string;
  readonly slowDeliveryQueueUrl: string;
  readonly slowDeliveryQueueArn: string;
  readonly scheduleQueueUrl: string;
  readonly scheduleQueueArn: string;
  readonly captureQueueUrl: string;
  readonly captureQueueArn: string;
  /** Customers' schedules are entries of this group, */
  readonly scheduleGroupName: string;
  /** which the Scheduler carries out in this role, */
  readonly scheduleRoleArn: string;
  /** and puts here if it cannot. */
  readonly scheduleDeadLettersArn: string;
  /** Attempts that are due later than a queue can wait are one-time entries of this group, */
  readonly retryGroupName: string;
  /** which the Scheduler carries out in this role, */
  readonly retryRoleArn: string;
  /** and puts here if it cannot. */
  readonly retryDeadLettersArn: string;
  readonly purgeWorkflowArn: string;
  readonly backupWorkflowArn: string;
  readonly verifyWorkflowArn: string;
  readonly restoreWorkflowArn: string;
  /** Every SES identity and configuration set of the account. */
  readonly mailArns: readonly string[];
  /** The values that need no permission. */
  readonly settings: Readonly<Record<Exclude<Variable, keyof Named>, string>>;
}

/** The variables that name a resource; a setting is every other one. */
interface Named {
  readonly TABLE_NAME: string;
  readonly TOKEN_KEY_IDS: string;
  readonly SERVICE_SECRET_ID: string;
  readonly IDENTITY_SECRET_ID: string;
  readonly SECRETS_KEY_ID: string;
  readonly TASK_QUEUE_URL: string;
  readonly CHORE_QUEUE_URL: string;
  readonly MATCH_QUEUE_URL: string;
  readonly DELIVERY_QUEUE_URL: string;
  readonly SLOW_DELIVERY_QUEUE_URL: string;
  readonly SLOW_DELIVERY_QUEUE_ARN: string;
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
