import { auditNote } from '../../audit/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, iso, omitUndefined, StaleReadError, set } from '../../platform/index.ts';
import { type Credentials, storedCredentials } from '../model/credentials.ts';
import { connectedEvent, destinationKey } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { storageRules } from '../model/storage-rules.ts';
import { externalIdOf } from '../open/open-store.ts';
import type { DestinationInput } from './destination-input.ts';

type DestinationChange = Partial<{
  readonly [K in keyof Omit<DestinationInput, 'type' | 'externalId'>]: DestinationInput[K] | undefined;
}>;

/** The destination after the change. Fields without a change stay as they are. */
export const mergeInput = (
  record: DestinationRecord,
  stored: Credentials | undefined,
  changes: DestinationChange,
): DestinationInput => {
  const credentials = changes.credentials ?? stored;
  if (!credentials) throw invalid('credentials', 'are required: they stayed in the former organization of the destination');
  const sse = changes.sse === undefined ? (record.sse ?? null) : changes.sse;
  // A KMS key is only meaningful with aws:kms.
  const keptKmsKeyId = sse === 'aws:kms' ? (record.sseKmsKeyId ?? null) : null;
  return {
    // A destination that moved from another organization keeps its ExternalId until its role changes.
    ...(record.externalId !== undefined && changes.credentials === undefined && { externalId: record.externalId }),
    name: changes.name ?? record.name,
    type: record.type,
    bucket: changes.bucket ?? record.bucket,
    prefix: changes.prefix ?? record.prefix,
    region: changes.region === undefined ? record.region : changes.region,
    endpoint: changes.endpoint === undefined ? record.endpoint : changes.endpoint,
    credentials,
    immutable: changes.immutable ?? record.immutable,
    objectLock: changes.objectLock === undefined ? record.objectLock : changes.objectLock,
    sse,
    sseKmsKeyId: changes.sseKmsKeyId === undefined ? keptKmsKeyId : changes.sseKmsKeyId,
  };
};

/** Whether the change points to another place, where the existing backups would not be found. */
export const changesLocation = (record: DestinationRecord, input: DestinationInput): boolean =>
  input.prefix !== record.prefix || bucketLocation(input) !== bucketLocation(record);

/** The same for two destinations that name the same bucket. */
export const bucketLocation = (of: Location & Pick<DestinationInput, 'bucket'>): string => `${hostOf(of)} ${of.bucket}`;

type Location = Pick<DestinationInput, 'type' | 'region' | 'endpoint'>;

/** Where the name of the bucket is unique: at an endpoint, or in the namespace of the type. */
const hostOf = ({ type, region, endpoint }: Location): string =>
  endpoint === null ? storageRules[type].namespaceOf(region) : new URL(endpoint).origin;

export const destinationHasBackups = (): ApiError =>
  new ApiError(
    'CONFLICT',
    'The destination contains backups: bucket, prefix, endpoint and region cannot change until they are deleted',
  );

/** For input that was checked and tested. */
export const updateDestination = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  {
    record,
    input: { credentials, type: _type, ...input },
    changes,
    now,
  }: {
    readonly record: DestinationRecord;
    readonly input: DestinationInput;
    readonly changes: DestinationChange;
    readonly now: Date;
  },
): Promise<{ destination: DestinationRecord; change: Change }> => {
  const isMoved = changesLocation(record, { ...input, type: record.type, credentials });
  const attributes = {
    ...input,
    ...(changes.credentials && (await storedCredentials(tenant, record.id, credentials))),
    externalId: 'roleArn' in credentials ? (input.externalId ?? externalIdOf(tenant)) : undefined,
    status: 'connected',
    lastError: undefined,
    lastTestedAt: iso(now),
    updatedAt: iso(now),
  } as const;
  const destination: DestinationRecord = omitUndefined({ ...record, ...attributes });
  const isReconnected = record.status === 'error' || changes.credentials !== undefined || isMoved;
  return {
    destination,
    change: {
      writes: [
        set(destinationKey(tenant, record.id), attributes, {
          // The record is the one that was tested, and no backup was added to the old location meanwhile.
          expected: { updatedAt: record.updatedAt, ...(isMoved && { backupCount: 0 }) },
          onConditionFailed: () => new StaleReadError(),
        }),
        ...(isReconnected ? [connectedEvent({ tenant, organization }, destination, now)] : []),
      ],
      audit: [
        auditNote(tenant, {
          type: 'storage_destination',
          id: record.id,
          details: { name: input.name, changed: changedFields(changes) },
        }),
      ],
    },
  };
};

/** As the request names them. */
const changedFields = ({ credentials, ...changes }: DestinationChange): readonly string[] => [
  ...Object.keys(changes),
  ...(credentials ? ['audience' in credentials ? 'workloadIdentity' : 'credentials'] : []),
];
