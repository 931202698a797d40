/** Changing a destination: only what is given changes, and nothing is kept that the store did not take. */
import { ApiError } from '../contract/errors.ts';
import { emit } from '../event/index.ts';
import { type Acting, named, organizationKey } from '../organization/index.ts';
import { type Change, iso, Overtaken, set } from '../platform/index.ts';
import { about } from './creation.ts';
import { type Credentials, maskCredentials, sealCredentials } from './credentials.ts';
import { externalIdOf } from './open.ts';
import { destinationData } from './read.ts';
import type { DestinationRecord } from './record.ts';
import type { Wish } from './wish.ts';

export type DestinationChange = Partial<{ readonly [K in keyof Omit<Wish, 'type'>]: Wish[K] | undefined }>;

/** The destination as it would be. */
export const wishOf = (record: DestinationRecord, stored: Credentials, given: DestinationChange): Wish => ({
  name: given.name ?? record.name,
  type: record.type,
  bucket: given.bucket ?? record.bucket,
  prefix: given.prefix ?? record.prefix,
  region: given.region === undefined ? record.region : given.region,
  endpoint: given.endpoint === undefined ? record.endpoint : given.endpoint,
  credentials: given.credentials ?? stored,
  immutable: given.immutable ?? record.immutable,
  objectLock: given.objectLock === undefined ? record.objectLock : given.objectLock,
});

/** Where its backups are is where they are looked for: that stays while there are any. A Space is named by its region too. */
export const movesBackups = (record: DestinationRecord, wish: Wish): boolean =>
  wish.bucket !== record.bucket ||
  wish.prefix !== record.prefix ||
  (record.type === 'spaces' && (wish.region !== record.region || wish.endpoint !== record.endpoint));

export const hasBackups = (): ApiError =>
  new ApiError('CONFLICT', 'Backups lie here: the bucket and the prefix stay as they are until those are deleted');

/** For a wish that was checked and tried. */
export const changeDestination = async (
  { tenant, organization }: Pick<Acting, 'tenant' | 'organization'>,
  record: DestinationRecord,
  { credentials, type: _type, ...wish }: Wish,
  given: DestinationChange,
  now: Date,
): Promise<{ destination: DestinationRecord; change: Change }> => {
  const moves = movesBackups(record, { ...wish, type: record.type, credentials });
  const { externalId: _externalId, ...kept } = record;
  const attributes = {
    ...wish,
    ...(given.credentials && {
      sealed: await sealCredentials(tenant, record.id, credentials),
      masked: maskCredentials(credentials),
    }),
    externalId: 'roleArn' in credentials ? externalIdOf(tenant) : undefined,
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
          where: { updatedAt: record.updatedAt, ...(moves && { backupCount: 0 }) },
          otherwise: () => new Overtaken(),
        }),
        ...(isReconnected ? [emit(tenant, 'storage.connected', { organization: named(organization), storage }, now)] : []),
      ],
      audit: [{ ...about(tenant, record.id), details: { name: wish.name, changed: Object.keys(given) } }],
    },
  };
};
