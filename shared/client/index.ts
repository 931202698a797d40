export { isFoundDamaged, isOwnBackup, isRestorePoint } from './backup-kind.ts';
export { diffFields, type FieldChange } from './diff-fields.ts';
export { documentHistory, type HistoryEntry } from './document-history.ts';
export { type KnownVersion, versionsOf } from './document-versions.ts';
export { ApiFailure, NetworkFailure } from './failures.ts';
export { decodeValue, type Fields, formatJson, pathOfName, type TypedValue, type Value } from './firestore-value.ts';
export { grantorChange } from './grantor-change.ts';
export { joinReports } from './join-reports.ts';
export { mustTypeName } from './must-type-name.ts';
export { namesGoogleProject } from './names-google-project.ts';
export { type Client, type ClientOptions, openClient } from './open-client.ts';
export { partsOf, readInParts, readProtectionParts } from './read-protection-parts.ts';
export type * from './route-table.ts';
export type { AnyInput, DataOf, ElementOf, InputOf, ListRoute, Page, PageRoute, Route } from './routes.ts';
export { type FoundInParts, searchInParts } from './search-in-parts.ts';
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
