/**
 * What a function may need, by name, and the environment variables that come with it.
 * infra/part/function/grant.ts turns each name into an IAM grant and sets exactly these variables;
 * shared/platform/env.ts reads them. A name that is not here cannot be granted, nor read.
 */
export const capabilities = {
  /** Read any item, and nothing else: for those that nobody who is known calls. */
  'table:look': ['TABLE_NAME'],
  /** Read any item; count requests and note who was seen (RATE# and SEEN# partitions only). */
  'table:read': ['TABLE_NAME', 'REQUESTS_PER_MINUTE', 'PLAN'],
  /** Change items in transactions; IAM denies updating and removing audit entries (replacing one is kept out by its condition). */
  'table:write': ['TABLE_NAME', 'REQUESTS_PER_MINUTE', 'PLAN', 'AUDIT_RETENTION_DAYS'],
  /** Check access tokens against the public half of the signing key. */
  'token:verify': ['TOKEN_KEY_IDS', 'PUBLIC_URL', 'ALLOWED_ORIGINS'],
  'token:sign': ['TOKEN_KEY_IDS', 'PUBLIC_URL'],
  /** The deployment's own secret: cursors, stored answers and invitation links derive their keys from it. */
  'secret:service': ['SERVICE_SECRET_ID'],
  /** Send a browser to the identity provider, which needs no secret. */
  'identity:refer': ['IDENTITY_ISSUER', 'IDENTITY_CLIENT_ID', 'ALLOWED_REDIRECT_URIS', 'PUBLIC_URL'],
  /** Talk to the identity provider as its client. */
  'identity:client': [
    'IDENTITY_ISSUER',
    'IDENTITY_CLIENT_ID',
    'IDENTITY_SECRET_ID',
    'ALLOWED_REDIRECT_URIS',
    'CONSOLE_URL',
    'PUBLIC_URL',
  ],
  /** Seal what was given to us under the secrets key, each for a purpose of its own: the grant of a person who signs in, */
  'grant:seal': ['SECRETS_KEY_ID'],
  /** the key of a Google service account, */
  'source:seal': ['SECRETS_KEY_ID'],
  /** the credentials of a bucket, */
  'destination:seal': ['SECRETS_KEY_ID'],
  /** the passphrase of an organization. */
  'passphrase:seal': ['SECRETS_KEY_ID'],
  /** Seal for another organization what a project takes along when it moves. */
  'move:seal': ['SECRETS_KEY_ID'],
  /** Read and write a project's database with the access it was connected with: a person's grant or a Google service account. */
  'source:read': [
    'FIRESTORE_URL',
    'IDENTITY_TOOLKIT_URL',
    'GOOGLE_TOKEN_URL',
    'IDENTITY_ISSUER',
    'IDENTITY_CLIENT_ID',
    'IDENTITY_SECRET_ID',
    'SECRETS_KEY_ID',
    'PUBLIC_URL',
  ],
  /** Reach the customers' buckets with the credentials they gave, or by taking the role they made for us. */
  'destination:use': ['S3_URL', 'SPACES_URL', 'GCS_URL', 'GOOGLE_TOKEN_URL', 'PRIVATE_HOSTS', 'SECRETS_KEY_ID'],
  /** Try credentials that were just given, and see whether a role would let us in without the ExternalId too. */
  'destination:probe': ['S3_URL', 'SPACES_URL', 'GCS_URL', 'GOOGLE_TOKEN_URL', 'PRIVATE_HOSTS'],
  /** Open those that were kept, to try them again. */
  'destination:open': ['SECRETS_KEY_ID'],
  /** Say which key wraps the data keys of backups. */
  'data-key:name': ['DATA_KEY_ID', 'PLAN'],
  /** Make the data key of a new backup. */
  'data-key:make': ['DATA_KEY_ID', 'SECRETS_KEY_ID'],
  /** Wrap a data key that was opened under another key than before. */
  'data-key:wrap': ['DATA_KEY_ID', 'SECRETS_KEY_ID'],
  /** Open the data key of a backup that exists: by KMS, or with the organization's passphrase. */
  'data-key:open': ['DATA_KEY_ID', 'SECRETS_KEY_ID'],
  'backup:start': ['BACKUP_WORKFLOW_ARN'],
  /** Look whether a workflow still runs, and end one that must not. */
  'backup:watch': ['BACKUP_WORKFLOW_ARN'],
  'restore:start': ['RESTORE_WORKFLOW_ARN'],
  'restore:watch': ['RESTORE_WORKFLOW_ARN'],
  'verify:start': ['VERIFY_WORKFLOW_ARN'],
  'task:send': ['TASK_QUEUE_URL'],
  'chore:send': ['CHORE_QUEUE_URL'],
  'match:send': ['MATCH_QUEUE_URL'],
  /** Check the address of a webhook and whether there is room for it, and seal its secret and headers. */
  'webhook:seal': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'PUBLIC_URL', 'WEBHOOKS_PER_ORGANIZATION'],
  /** Open the secret and the headers of a webhook, and send to it. */
  'webhook:send': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'SERVICE_VERSION'],
  /** Read what is an organization's and its deliveries (ORG#, DELIVERY#); write deliveries and what is known of endpoints (DELIVERY#). */
  'delivery:keep': ['TABLE_NAME'],
  'delivery:send': ['DELIVERY_QUEUE_URL', 'SLOW_DELIVERY_QUEUE_URL'],
  /** Tell the lanes apart, and send to the slow one only, where all that is tried again goes. */
  'delivery:retry': ['DELIVERY_QUEUE_URL', 'SLOW_DELIVERY_QUEUE_URL'],
  /** Have an attempt made later than a queue can wait: a one-time entry of the Scheduler that sends to the slow queue. */
  'delivery:later': ['RETRY_GROUP_NAME', 'RETRY_ROLE_ARN', 'SLOW_DELIVERY_QUEUE_ARN', 'RETRY_DEAD_LETTERS_ARN'],
  'schedule:send': ['SCHEDULE_QUEUE_URL'],
  /** Make, change and remove the Scheduler's entries of customers' schedules, which send to the schedule queue. */
  'schedule:enter': ['SCHEDULE_GROUP_NAME', 'SCHEDULE_ROLE_ARN', 'SCHEDULE_QUEUE_ARN', 'SCHEDULE_DEAD_LETTERS_ARN'],
  /** Only remove them. */
  'schedule:remove': ['SCHEDULE_GROUP_NAME'],
  'capture:send': ['CAPTURE_QUEUE_URL'],
  'mail:send': ['MAIL_FROM'],
  /** Links to ourselves in answers and e-mails. */
  'link:make': ['PUBLIC_URL'],
  'purge:start': ['PURGE_WORKFLOW_ARN'],
  /** Remove every item of an organization, its audit entries included. */
  'table:purge': ['TABLE_NAME'],
  /** See whether the parts behind the API answer. */
  'health:check': ['TABLE_NAME', 'TASK_QUEUE_URL', 'SERVICE_VERSION'],
} as const;

export type Capability = keyof typeof capabilities;
export type Variable = (typeof capabilities)[Capability][number];
