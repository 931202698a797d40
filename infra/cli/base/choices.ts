/**
 * Values of the API that options offer. They are written out because the schemas of the contract take longer to load than most
 * commands run. The compiler compares them with the contract.
 */
import type { DataOf, InputOf } from '../../../shared/client/index.ts';

type BackupQuery = NonNullable<InputOf<'GET /backups'>['query']>;
type RestoreQuery = NonNullable<InputOf<'GET /backups/restore'>['query']>;
type DeliveryQuery = NonNullable<InputOf<'GET /webhooks/{webhookId}/deliveries'>['query']>;
type Choices<T> = Readonly<Record<Extract<T, string>, true>>;

type OverviewQuery = NonNullable<NonNullable<InputOf<'GET /overview'>>['query']>;
export const protections: Choices<OverviewQuery['protection']> = { unprotected: true, at_risk: true, protected: true };
export const projectSorts: Choices<Exclude<OverviewQuery['sort'], `-${string}`>> = {
  protection: true,
  name: true,
  lastBackup: true,
  lastRestoreTest: true,
};

export const apiKeyRoles: Choices<InputOf<'POST /organizations/current/api-keys'>['body']['role']> = {
  viewer: true,
  member: true,
  admin: true,
};
export const backupStatuses: Choices<BackupQuery['status']> = {
  pending: true,
  running: true,
  completed: true,
  failed: true,
  cancelled: true,
  expired: true,
  deleted: true,
};
export const backupSources: Choices<InputOf<'POST /backups'>['body']['source']> = { auto: true, read: true };
export const backupTypes: Choices<BackupQuery['type']> = { full: true, incremental: true };
export const backupTriggers: Choices<BackupQuery['trigger']> = {
  manual: true,
  scheduled: true,
  safety: true,
  'pitr-base': true,
  import: true,
};
export const restoreStatuses: Choices<RestoreQuery['status']> = {
  pending: true,
  running: true,
  completed: true,
  failed: true,
  cancelled: true,
};
export const documentFormats: Choices<InputOf<'POST /exports'>['body']['format']> = {
  ndjson: true,
  'ndjson-typed': true,
  csv: true,
  parquet: true,
  google: true,
};
export const backupPicks: Choices<DataOf<'GET /restore-tests/{restoreTestId}'>['backup']['pick']> = {
  latest: true,
  random: true,
  moment: true,
};
export const testRunStatuses: Choices<DataOf<'GET /restore-tests/runs/{runId}'>['status']> = {
  pending: true,
  running: true,
  passed: true,
  failed: true,
  cancelled: true,
};
/** Spelled as in the API; the API also accepts "Skip Existing" and its like. */
export const mergeModes: Choices<DataOf<'GET /backups/restore/{restoreJobId}'>['mergeMode']> = {
  overwrite: true,
  skip_existing: true,
  merge: true,
  rollback: true,
};
export const verifyDepths: Choices<NonNullable<InputOf<'POST /backups/{backupId}/verify'>['body']>['depth']> = {
  structure: true,
  sample: true,
  full: true,
};
export const pitrPrecisions: Choices<NonNullable<InputOf<'POST /projects/{projectId}/pitr'>['body']>['precision']> = {
  second: true,
  interval: true,
};
export const deliveryStatuses: Choices<DeliveryQuery['status']> = {
  attempting: true,
  delivered: true,
  failed: true,
  skipped: true,
};
export const webhookFormats: Choices<InputOf<'POST /webhooks'>['body']['format']> = { standard: true, simple: true };
export const replayStatuses: Choices<InputOf<'POST /webhooks/{webhookId}/replay'>['body']['status']> = {
  failed: true,
  delivered: true,
  missing: true,
  all: true,
};
export const storageTypes: Choices<InputOf<'POST /storage-destinations'>['body']['type']> = { s3: true, gcs: true, spaces: true };
/** "none" is null in the API. */
export const sseAlgorithms: Choices<InputOf<'POST /storage-destinations'>['body']['sse'] | 'none'> = {
  AES256: true,
  'aws:kms': true,
  none: true,
};
export const exportFormats: Choices<NonNullable<InputOf<'GET /audit-logs/export'>['query']>['format']> = {
  csv: true,
  json: true,
};
export const invitableRoles: Choices<InputOf<'POST /organizations/current/invites'>['body']['role']> = {
  viewer: true,
  member: true,
  admin: true,
};
export const memberRoles: Choices<DataOf<'GET /organizations/current/members'>[number]['role']> = {
  ...invitableRoles,
  owner: true,
};
/** The values of a choice as the API's type. */
export type ChoiceOf<T> = keyof T;
