export { isFoundDamaged, isOwnBackup, isRestorePoint } from './backup-kind.ts';
export { ApiFailure, NetworkFailure } from './failures.ts';
export { grantorChange } from './grantor-change.ts';
export { mustTypeName } from './must-type-name.ts';
export { namesGoogleProject } from './names-google-project.ts';
export { type Client, type ClientOptions, openClient } from './open-client.ts';
export type * from './route-table.ts';
export type { AnyInput, DataOf, ElementOf, InputOf, ListRoute, Page, PageRoute, Route } from './routes.ts';
export { type Answer, type Fetch, type RetryPolicy, sendRequest } from './send-request.ts';
export { untilJobsStop } from './until-jobs-stop.ts';
export {
  type SignatureFormat,
  verifyWebhook,
  type WebhookDelivery,
  WebhookFailure,
  type WebhookHeaders,
} from './verify-webhook.ts';
export type { JobKind, Jobs, WaitOptions } from './wait-for-job.ts';
