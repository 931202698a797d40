import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { storageDestinations } from '../../../../shared/contract/endpoints/storage-destinations.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { requestedAccess, requiredAccess } from '../../../../shared/destination/index.ts';
import { account, keys } from '../../../harness/store/store-stands.ts';

const audience = '//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/backups/providers/backup-service';

const flawOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return error.details;
    throw error;
  }
  return undefined;
};

test('requestedAccess: credentials stay as they are, and a workload identity becomes the full name of its provider', () => {
  equal(requestedAccess({ type: 's3', credentials: keys }), keys);
  equal(requestedAccess({ type: 'gcs' }), undefined);
  deepEqual(requestedAccess({ type: 'gcs', workloadIdentity: { projectNumber: '123' } }), { audience });
  const serviceAccountEmail = account.clientEmail;
  deepEqual(requestedAccess({ type: 'gcs', workloadIdentity: { audience: `https:${audience}`, serviceAccountEmail } }), {
    audience,
    serviceAccountEmail,
  });
});

test('requestedAccess: two kinds of access, another store or an incomplete identity is refused', () => {
  const workloadIdentity = { projectNumber: '123' };
  for (const [input, reason] of [
    [{ type: 'gcs', workloadIdentity, credentials: account }, 'cannot be combined with credentials'],
    [{ type: 's3', workloadIdentity }, 'is only supported for type gcs'],
    [{ type: 'spaces', workloadIdentity }, 'is only supported for type gcs'],
    [{ type: 'gcs', workloadIdentity: {} }, 'must have either audience or projectNumber'],
    [{ type: 'gcs', workloadIdentity: { audience, ...workloadIdentity } }, 'must have either audience or projectNumber'],
  ] as const)
    deepEqual(
      flawOf(() => requestedAccess(input)),
      { field: 'workloadIdentity', reason },
    );
});

test('requiredAccess: a new destination names one kind of access', () => {
  const reason = 'is required, or workloadIdentity with type gcs';
  for (const type of ['s3', 'gcs', 'spaces'] as const)
    deepEqual(
      flawOf(() => requiredAccess({ type })),
      { field: 'credentials', reason },
    );
});

test('storageDestinations.create: a missing access is reported together with the other missing fields', () => {
  const missing = (body: unknown) =>
    storageDestinations.create.body.safeParse(body).error?.issues.map(({ path }) => path.join('.'));
  deepEqual(missing({}), ['name', 'bucket', 'type', 'credentials']);
  deepEqual(missing({ name: 'Backups', type: 'gcs', bucket: 'backups', workloadIdentity: { projectNumber: '123' } }), undefined);
  deepEqual(missing([]), ['']);
});
