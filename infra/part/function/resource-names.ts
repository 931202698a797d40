/** Names and ARNs of the stacks' resources, as grants and variables need them. */

import type { DelayedMessages } from '../trigger/delayed-messages.ts';
import type { QueueName } from '../trigger/work-queue-specs.ts';

/** The variables that name no resource. */
export type Settings = Readonly<
  Record<
    | 'PLAN'
    | 'AUDIT_RETENTION_DAYS'
    | 'REQUESTS_PER_MINUTE'
    | 'ORGANIZATION_LIMITS'
    | 'PUBLIC_URL'
    | 'ALLOWED_ORIGINS'
    | 'ALLOWED_REDIRECT_URIS'
    | 'CONSOLE_URL'
    | 'IDENTITY_ISSUER'
    | 'IDENTITY_CLIENT_ID'
    | 'MAIL_FROM'
    | 'FIRESTORE_URL'
    | 'IDENTITY_TOOLKIT_URL'
    | 'FIREBASE_RULES_URL'
    | 'GOOGLE_TOKEN_URL'
    | 'GOOGLE_STS_URL'
    | 'GOOGLE_CREDENTIALS_URL'
    | 'S3_URL'
    | 'SPACES_URL'
    | 'GCS_URL'
    | 'PRIVATE_HOSTS'
    | 'WEBHOOK_HOSTS'
    | 'SERVICE_VERSION',
    string
  >
>;

export interface ResourceNames {
  readonly tableName: string;
  readonly tableArn: string;
  /** The first key signs; all verify. */
  readonly tokenKeyArns: readonly [string, ...string[]];
  /** The first key signs evidence of restore tests; the others are published to verify it. */
  readonly evidenceKeyArns: readonly [string, ...string[]];
  readonly secretsKeyArn: string;
  /** The first key wraps the data keys of backups; all unwrap them. */
  readonly dataKeyArns: readonly [string, ...string[]];
  readonly serviceSecretArn: string;
  readonly identitySecretArn: string;
  /** Assumed for one organization at a time; customers' Google Cloud projects trust it. */
  readonly googleRoleArn: string;
  readonly queues: Readonly<Record<QueueName, { readonly queueUrl: string; readonly queueArn: string }>>;
  /** Customers' schedules. */
  readonly ticks: DelayedMessages;
  /** Delivery attempts beyond a queue's maximum delay. */
  readonly retries: DelayedMessages;
  readonly purgeWorkflowArn: string;
  readonly backupWorkflowArn: string;
  readonly verifyWorkflowArn: string;
  readonly restoreWorkflowArn: string;
  readonly restoreTestWorkflowArn: string;
  readonly exportWorkflowArn: string;
  /** All SES identities and configuration sets of the account. */
  readonly mailArns: readonly string[];
  /** Values that need no permission. */
  readonly settings: Settings;
}
