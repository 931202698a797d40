/** The value of every environment variable, grouped by the capability that needs it. */
import type { Capability, capabilities } from '../../../shared/contract/capabilities.ts';
import type { ResourceNames } from './resource-names.ts';

type Variables<U extends Capability> = Readonly<Record<(typeof capabilities)[U][number], string>>;

/** Exactly the variables of each capability: a missing or superfluous one does not compile. */
export const variables = (parts: ResourceNames): { readonly [U in Capability]: Variables<U> } => {
  const { queues, ticks, retries } = parts;
  const table = { TABLE_NAME: parts.tableName };
  const { PLAN, REQUESTS_PER_MINUTE, AUDIT_RETENTION_DAYS, PUBLIC_URL, ALLOWED_ORIGINS, MAIL_FROM, SERVICE_VERSION } =
    parts.settings;
  const tokens = { TOKEN_KEY_IDS: parts.tokenKeyArns.join(','), PUBLIC_URL };
  const { IDENTITY_ISSUER, IDENTITY_CLIENT_ID, ALLOWED_REDIRECT_URIS, CONSOLE_URL } = parts.settings;
  const { ORGANIZATION_LIMITS } = parts.settings;
  const {
    FIRESTORE_URL,
    IDENTITY_TOOLKIT_URL,
    FIREBASE_RULES_URL,
    GOOGLE_TOKEN_URL,
    S3_URL,
    SPACES_URL,
    GCS_URL,
    PRIVATE_HOSTS,
    WEBHOOK_HOSTS,
  } = parts.settings;
  const { GOOGLE_STS_URL, GOOGLE_CREDENTIALS_URL } = parts.settings;
  const google = { GOOGLE_ROLE_ARN: parts.googleRoleArn };
  const evidence = { EVIDENCE_KEY_IDS: parts.evidenceKeyArns.join(',') };
  const identity = { IDENTITY_ISSUER, IDENTITY_CLIENT_ID, IDENTITY_SECRET_ID: parts.identitySecretArn };
  const dataKey = { DATA_KEY_ID: parts.dataKeyArns[0] };
  const secrets = { SECRETS_KEY_ID: parts.secretsKeyArn };
  const buckets = { S3_URL, SPACES_URL, GCS_URL, GOOGLE_TOKEN_URL, PRIVATE_HOSTS };
  const destination = { ...buckets, GOOGLE_STS_URL, GOOGLE_CREDENTIALS_URL, ...google };
  return {
    'table:read-only': table,
    'table:read': { ...table, REQUESTS_PER_MINUTE, PLAN, ORGANIZATION_LIMITS, AUDIT_RETENTION_DAYS },
    'table:write': { ...table, REQUESTS_PER_MINUTE, PLAN, ORGANIZATION_LIMITS, AUDIT_RETENTION_DAYS },
    'table:purge': table,
    'token:verify': { ...tokens, ALLOWED_ORIGINS },
    'token:sign': tokens,
    'evidence:publish': evidence,
    'evidence:sign': { ...evidence, SERVICE_VERSION, PUBLIC_URL },
    'secret:service': { SERVICE_SECRET_ID: parts.serviceSecretArn },
    'identity:refer': { IDENTITY_ISSUER, IDENTITY_CLIENT_ID, ALLOWED_REDIRECT_URIS, PUBLIC_URL },
    'identity:client': { ...identity, ALLOWED_REDIRECT_URIS, CONSOLE_URL, PUBLIC_URL },
    'grant:seal': secrets,
    'source:seal': secrets,
    'destination:seal': secrets,
    'passphrase:seal': secrets,
    'move:seal': secrets,
    'source:read': {
      FIRESTORE_URL,
      IDENTITY_TOOLKIT_URL,
      FIREBASE_RULES_URL,
      GOOGLE_TOKEN_URL,
      GOOGLE_STS_URL,
      GOOGLE_CREDENTIALS_URL,
      ...google,
      ...identity,
      ...secrets,
      PUBLIC_URL,
    },
    'google:name': google,
    'destination:use': { ...destination, ...secrets },
    'destination:probe': destination,
    'destination:open': secrets,
    'data-key:name': { ...dataKey, PLAN },
    'data-key:make': { ...dataKey, ...secrets },
    'data-key:open': { ...dataKey, ...secrets },
    'backup:start': { BACKUP_WORKFLOW_ARN: parts.backupWorkflowArn },
    'backup:watch': { BACKUP_WORKFLOW_ARN: parts.backupWorkflowArn },
    'verify:start': { VERIFY_WORKFLOW_ARN: parts.verifyWorkflowArn },
    'restore:start': { RESTORE_WORKFLOW_ARN: parts.restoreWorkflowArn },
    'restore:watch': { RESTORE_WORKFLOW_ARN: parts.restoreWorkflowArn },
    'restore-test:start': { RESTORE_TEST_WORKFLOW_ARN: parts.restoreTestWorkflowArn },
    'restore-test:watch': { RESTORE_TEST_WORKFLOW_ARN: parts.restoreTestWorkflowArn },
    'export:start': { EXPORT_WORKFLOW_ARN: parts.exportWorkflowArn },
    'export:watch': { EXPORT_WORKFLOW_ARN: parts.exportWorkflowArn },
    'restore-test:seal': { ...secrets, WEBHOOK_HOSTS, PUBLIC_URL },
    'restore-test:send': { ...secrets, WEBHOOK_HOSTS, SERVICE_VERSION, PUBLIC_URL },
    'task:send': { TASK_QUEUE_URL: queues.task.queueUrl },
    'bucket-work:send': { BUCKET_WORK_QUEUE_URL: queues.bucketWork.queueUrl },
    'event-match:send': { EVENT_MATCH_QUEUE_URL: queues.eventMatch.queueUrl },
    'webhook:seal': { ...secrets, WEBHOOK_HOSTS, PUBLIC_URL },
    'webhook:seal-url': secrets,
    'webhook:open': secrets,
    'webhook:send': { ...secrets, WEBHOOK_HOSTS, SERVICE_VERSION },
    'alert:seal': { ...secrets, WEBHOOK_HOSTS, PUBLIC_URL },
    'alert:send': { ...secrets, WEBHOOK_HOSTS, SERVICE_VERSION },
    'delivery:keep': table,
    'delivery:send': { DELIVERY_QUEUE_URL: queues.delivery.queueUrl, DELIVERY_RETRY_QUEUE_URL: queues.deliveryRetry.queueUrl },
    'delivery:retry': { DELIVERY_QUEUE_URL: queues.delivery.queueUrl, DELIVERY_RETRY_QUEUE_URL: queues.deliveryRetry.queueUrl },
    'delivery:later': {
      RETRY_GROUP_NAME: retries.groupName,
      RETRY_ROLE_ARN: retries.roleArn,
      DELIVERY_RETRY_QUEUE_ARN: queues.deliveryRetry.queueArn,
      RETRY_DEAD_LETTERS_ARN: retries.deadLetters.queueArn,
    },
    'schedule:send': { SCHEDULE_QUEUE_URL: queues.schedule.queueUrl },
    'schedule:enter': {
      SCHEDULE_GROUP_NAME: ticks.groupName,
      SCHEDULE_ROLE_ARN: ticks.roleArn,
      SCHEDULE_QUEUE_ARN: queues.schedule.queueArn,
      SCHEDULE_DEAD_LETTERS_ARN: ticks.deadLetters.queueArn,
    },
    'schedule:remove': { SCHEDULE_GROUP_NAME: ticks.groupName },
    'incident:send': { INCIDENT_QUEUE_URL: queues.incident.queueUrl },
    'alert-delivery:send': { ALERT_DELIVERY_QUEUE_URL: queues.alertDelivery.queueUrl },
    'capture:send': { CAPTURE_QUEUE_URL: queues.capture.queueUrl },
    'capture-audit:send': { CAPTURE_AUDIT_QUEUE_URL: queues.captureAudit.queueUrl },
    'mail:send': { MAIL_FROM },
    'link:make': { PUBLIC_URL, CONSOLE_URL },
    'purge:start': { PURGE_WORKFLOW_ARN: parts.purgeWorkflowArn },
    'schema:read': table,
    'schema:raise': { ...table, SERVICE_VERSION },
    'health:check': { ...table, TASK_QUEUE_URL: queues.task.queueUrl, SERVICE_VERSION },
  };
};
