/** Changing a destination: only what is given changes, and nothing is kept that the store did not take. */
import { ApiError } from '../../contract/errors.ts';
import { emit } from '../../event/index.ts';
import { type CallerContext, organizationKey, organizationRef } from '../../organization/index.ts';
import { type Change, iso, StaleReadError, set } from '../../platform/index.ts';
import { type Credentials, maskCredentials, sealCredentials } from '../model/credentials.ts';
import { destinationData } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { externalIdOf } from '../open/open-store.ts';
import { about } from './create-destination.ts';
import type { DestinationInput } from './destination-input.ts';

export type DestinationChange = Partial<{
  readonly [K in keyof Omit<DestinationInput, 'type' | 'externalId'>]: DestinationInput[K] | undefined;
}>;

/** The destination as it would be. */
export const mergeInput = (record: DestinationRecord, stored: Credentials, given: DestinationChange): DestinationInput => {
  const sse = given.sse === undefined ? (record.sse ?? null) : given.sse;
  // A key belongs to aws:kms, and goes with it.
  const keptKmsKeyId = sse === 'aws:kms' ? (record.sseKmsKeyId ?? null) : null;
  return {
    // It came along when the destination moved here from another organization, and with no other role.
    ...(record.externalId !== undefined && given.credentials === undefined && { externalId: record.externalId }),
    name: given.name ?? record.name,
    type: record.type,
    bucket: given.bucket ?? record.bucket,
    prefix: given.prefix ?? record.prefix,
    region: given.region === undefined ? record.region : given.region,
    endpoint: given.endpoint === undefined ? record.endpoint : given.endpoint,
    credentials: given.credentials ?? stored,
    immutable: given.immutable ?? record.immutable,
    objectLock: given.objectLock === undefined ? record.objectLock : given.objectLock,
    sse,
    sseKmsKeyId: given.sseKmsKeyId === undefined ? keptKmsKeyId : given.sseKmsKeyId,
  };
};

/** Where its backups are is where they are looked for: that stays while there are any. */
export const changesLocation = (record: DestinationRecord, wish: DestinationInput): boolean =>
  wish.bucket !== record.bucket || wish.prefix !== record.prefix || hostOf(wish) !== hostOf(record);

type Located = Pick<DestinationInput, 'type' | 'region' | 'endpoint'>;

/** Whose bucket of that name is meant: an endpoint's, a Space's of its region, or the one in all of AWS or Google. */
const hostOf = ({ type, region, endpoint }: Located): string => {
  if (endpoint !== null) return new URL(endpoint).origin;
  return type === 's3' ? `s3 ${partitionOf(region)}` : type === 'spaces' ? `spaces ${region}` : type;
};

/** Bucket names are one space in all regions of AWS but those of China and of governments. */
const partitionOf = (region: string | null): string => /^(cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/.exec(region ?? '')?.[1] ?? '';

export const destinationHasBackups = (): ApiError =>
  new ApiError('CONFLICT', 'Backups lie here: where it is (bucket, prefix, endpoint, region) stays until those are deleted');

/** For a wish that was checked and tried. */
export const updateDestination = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  record: DestinationRecord,
  { credentials, type: _type, ...wish }: DestinationInput,
  given: DestinationChange,
  now: Date,
): Promise<{ destination: DestinationRecord; change: Change }> => {
  const moves = changesLocation(record, { ...wish, type: record.type, credentials });
  const { externalId: _externalId, ...kept } = record;
  const attributes = {
    ...wish,
    ...(given.credentials && {
      sealed: await sealCredentials(tenant, record.id, credentials),
      masked: maskCredentials(credentials),
    }),
    externalId: 'roleArn' in credentials ? (wish.externalId ?? externalIdOf(tenant)) : undefined,
    status: 'connected',
    lastTestedAt: iso(now),
    updatedAt: iso(now),
  } as const;
  const { externalId, ...shown } = attributes;
  const destination: DestinationRecord = { ...kept, ...shown, ...(externalId !== undefined && { externalId }) };
  const isReconnected = record.status === 'error' || given.credentials !== undefined || moves;
  const storage = destinationData(destination);
  return {
    destination,
    change: {
      writes: [
        set(organizationKey.storageDestination(tenant, record.id), attributes, {
          // What was tried is what is kept, and a backup that came meanwhile is not lost sight of.
          expected: { updatedAt: record.updatedAt, ...(moves && { backupCount: 0 }) },
          onConditionFailed: () => new StaleReadError(),
        }),
        ...(isReconnected
          ? [emit(tenant, 'storage.connected', { organization: organizationRef(organization), storage }, now)]
          : []),
      ],
      audit: [{ ...about(tenant, record.id), details: { name: wish.name, changed: Object.keys(given) } }],
    },
  };
};
