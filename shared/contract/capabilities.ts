const destinationVariables = [
  'S3_URL',
  'SPACES_URL',
  'GCS_URL',
  'GOOGLE_TOKEN_URL',
  'GOOGLE_STS_URL',
  'GOOGLE_CREDENTIALS_URL',
  'GOOGLE_ROLE_ARN',
  'PRIVATE_HOSTS',
] as const;

/**
 * Capabilities of functions, each with its environment variables. infra/part/function/grant.ts turns a capability into an IAM grant
 * and sets exactly these variables; shared/platform/env.ts reads them.
 */
export const capabilities = {
  /** Read any item; for functions without an authenticated caller. */
  'table:read-only': ['TABLE_NAME'],
  /** Read any item; write request counters and last-seen times (RATE# and SEEN# partitions only). */
  'table:read': ['TABLE_NAME', 'REQUESTS_PER_MINUTE', 'PLAN', 'ORGANIZATION_LIMITS', 'AUDIT_RETENTION_DAYS'],
  /** Change items in transactions. IAM denies updating and deleting audit entries; a condition prevents replacing one. */
  'table:write': ['TABLE_NAME', 'REQUESTS_PER_MINUTE', 'PLAN', 'ORGANIZATION_LIMITS', 'AUDIT_RETENTION_DAYS'],
  /** Read which release has written the table's items (the item SCHEMA only). */
  'schema:read': ['TABLE_NAME'],
  /** Note in the table which release has written its items (the item SCHEMA only). */
  'schema:raise': ['TABLE_NAME', 'SERVICE_VERSION'],
  /** Verify access tokens with the public signing keys. */
  'token:verify': ['TOKEN_KEY_IDS', 'PUBLIC_URL', 'ALLOWED_ORIGINS'],
  'token:sign': ['TOKEN_KEY_IDS', 'PUBLIC_URL'],
  /** Publish the keys that verify evidence of restore tests. */
  'evidence:publish': ['EVIDENCE_KEY_IDS'],
  /** Sign evidence of restore tests, which names the service that made it. */
  'evidence:sign': ['EVIDENCE_KEY_IDS', 'SERVICE_VERSION', 'PUBLIC_URL'],
  /** The service secret: keys of cursors, stored responses and invitation links derive from it. */
  'secret:service': ['SERVICE_SECRET_ID'],
  /** Redirect to the identity provider; needs no client secret. */
  'identity:refer': ['IDENTITY_ISSUER', 'IDENTITY_CLIENT_ID', 'ALLOWED_REDIRECT_URIS', 'PUBLIC_URL'],
  /** Call the identity provider as its client. */
  'identity:client': [
    'IDENTITY_ISSUER',
    'IDENTITY_CLIENT_ID',
    'IDENTITY_SECRET_ID',
    'ALLOWED_REDIRECT_URIS',
    'CONSOLE_URL',
    'PUBLIC_URL',
  ],
  /** Encrypt under the secrets key, with a KMS encryption context per purpose: the OAuth grant of a user, */
  'grant:seal': ['SECRETS_KEY_ID'],
  /** the key of a Google service account, */
  'source:seal': ['SECRETS_KEY_ID'],
  /** the credentials of a bucket, */
  'destination:seal': ['SECRETS_KEY_ID'],
  /** the passphrase of an organization. */
  'passphrase:seal': ['SECRETS_KEY_ID'],
  /** Re-encrypt the secrets of a project that moves to another organization. */
  'move:seal': ['SECRETS_KEY_ID'],
  /** Read and write a project's database: with a user's grant, a Google service account, or the role that the project trusts. */
  'source:read': [
    'FIRESTORE_URL',
    'IDENTITY_TOOLKIT_URL',
    'FIREBASE_RULES_URL',
    'GOOGLE_TOKEN_URL',
    'GOOGLE_STS_URL',
    'GOOGLE_CREDENTIALS_URL',
    'GOOGLE_ROLE_ARN',
    'IDENTITY_ISSUER',
    'IDENTITY_CLIENT_ID',
    'IDENTITY_SECRET_ID',
    'SECRETS_KEY_ID',
    'PUBLIC_URL',
  ],
  /** Know the role that Google Cloud projects trust. */
  'google:name': ['GOOGLE_ROLE_ARN'],
  /** Access customers' buckets with stored credentials, by assuming the customer's role, or by the role that Google trusts. */
  'destination:use': [...destinationVariables, 'SECRETS_KEY_ID'],
  /** Test access from a request, and check that a role requires the ExternalId and a pool provider the organization. */
  'destination:probe': destinationVariables,
  /** Decrypt stored credentials to test them again. */
  'destination:open': ['SECRETS_KEY_ID'],
  /** Know the id of the key that wraps data keys. */
  'data-key:name': ['DATA_KEY_ID', 'PLAN'],
  /** Wrap a data key: with a secret that KMS generates, or the organization's passphrase. */
  'data-key:make': ['DATA_KEY_ID', 'SECRETS_KEY_ID'],
  /** Unwrap the data key of a backup: with KMS or the organization's passphrase. */
  'data-key:open': ['DATA_KEY_ID', 'SECRETS_KEY_ID'],
  'backup:start': ['BACKUP_WORKFLOW_ARN'],
  /** Describe and stop executions of the workflow. */
  'backup:watch': ['BACKUP_WORKFLOW_ARN'],
  'restore:start': ['RESTORE_WORKFLOW_ARN'],
  'restore:watch': ['RESTORE_WORKFLOW_ARN'],
  'export:start': ['EXPORT_WORKFLOW_ARN'],
  'export:watch': ['EXPORT_WORKFLOW_ARN'],
  'verify:start': ['VERIFY_WORKFLOW_ARN'],
  'restore-test:start': ['RESTORE_TEST_WORKFLOW_ARN'],
  'restore-test:watch': ['RESTORE_TEST_WORKFLOW_ARN'],
  /** Validate the URL of a check and encrypt it and its secret. */
  'restore-test:seal': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'PUBLIC_URL'],
  /** Decrypt the URL and the secret of a check and send requests with them. */
  'restore-test:send': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'SERVICE_VERSION', 'PUBLIC_URL'],
  'task:send': ['TASK_QUEUE_URL'],
  'bucket-work:send': ['BUCKET_WORK_QUEUE_URL'],
  'event-match:send': ['EVENT_MATCH_QUEUE_URL'],
  /** Validate the URL of a webhook, and encrypt its URL, secret and headers. */
  'webhook:seal': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'PUBLIC_URL'],
  /** Encrypt its URL only. */
  'webhook:seal-url': ['SECRETS_KEY_ID'],
  /** Decrypt the URL of a webhook, to show it. */
  'webhook:open': ['SECRETS_KEY_ID'],
  /** Decrypt the URL, secret and headers of a webhook and send requests to it. */
  'webhook:send': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'SERVICE_VERSION'],
  /** Validate the URL of an alert and encrypt it and the routing key. */
  'alert:seal': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'PUBLIC_URL'],
  /** Decrypt the URL and the routing key of an alert and send requests with them. */
  'alert:send': ['SECRETS_KEY_ID', 'WEBHOOK_HOSTS', 'SERVICE_VERSION'],
  /** Read ORG# and DELIVERY# partitions; write deliveries and endpoint health (DELIVERY#). */
  'delivery:keep': ['TABLE_NAME'],
  'delivery:send': ['DELIVERY_QUEUE_URL', 'DELIVERY_RETRY_QUEUE_URL'],
  /** Know both delivery queues and send to the retry queue, which takes all retries. */
  'delivery:retry': ['DELIVERY_QUEUE_URL', 'DELIVERY_RETRY_QUEUE_URL'],
  /** Delay an attempt beyond the maximum of SQS: a one-time Scheduler entry that sends to the retry queue. */
  'delivery:later': ['RETRY_GROUP_NAME', 'RETRY_ROLE_ARN', 'DELIVERY_RETRY_QUEUE_ARN', 'RETRY_DEAD_LETTERS_ARN'],
  'schedule:send': ['SCHEDULE_QUEUE_URL'],
  /** Create, update and delete the Scheduler entries of customers' schedules, which send to the schedule queue. */
  'schedule:enter': ['SCHEDULE_GROUP_NAME', 'SCHEDULE_ROLE_ARN', 'SCHEDULE_QUEUE_ARN', 'SCHEDULE_DEAD_LETTERS_ARN'],
  /** Delete these entries. */
  'schedule:remove': ['SCHEDULE_GROUP_NAME'],
  'capture:send': ['CAPTURE_QUEUE_URL'],
  'capture-audit:send': ['CAPTURE_AUDIT_QUEUE_URL'],
  'incident:send': ['INCIDENT_QUEUE_URL'],
  'alert-delivery:send': ['ALERT_DELIVERY_QUEUE_URL'],
  'mail:send': ['MAIL_FROM'],
  /** Build links to this service for responses and e-mails. */
  'link:make': ['PUBLIC_URL', 'CONSOLE_URL'],
  'purge:start': ['PURGE_WORKFLOW_ARN'],
  /** Delete every item of an organization, including its audit entries. */
  'table:purge': ['TABLE_NAME'],
  /** Check the table, the queue and the key behind the API. */
  'health:check': ['TABLE_NAME', 'TASK_QUEUE_URL', 'SERVICE_VERSION'],
} as const;

export type Capability = keyof typeof capabilities;
/** Set by the template for the queue workers of a small account (`infra/part/function/concurrency.ts`). */
type SmallAccountVariable = 'WORK_SLOTS' | 'WORK_QUEUE_URL';
export type Variable = (typeof capabilities)[Capability][number] | SmallAccountVariable;
