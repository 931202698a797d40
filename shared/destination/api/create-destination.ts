/** Adding a destination, and removing one that nothing needs any more. */
import { ApiError } from '../../contract/errors.ts';
import { emit } from '../../event/index.ts';
import { type CallerContext, organizationKey, organizationRef, whileActive } from '../../organization/index.ts';
import { type Change, create, get, iso, StaleReadError, type Tenant, walk } from '../../platform/index.ts';
import { type ProjectRecord, projectPrefix } from '../../project/index.ts';
import { maskCredentials, sealCredentials } from '../model/credentials.ts';
import { destinationData, destinationKey, destinationNotFound } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { externalIdOf } from '../open/open-store.ts';
import type { DestinationInput } from './destination-input.ts';

/** For a wish that was checked and tried. */
export const createDestination = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  id: string,
  { credentials, ...wish }: DestinationInput,
  now: Date,
): Promise<{ destination: DestinationRecord; change: Change }> => {
  const destination: DestinationRecord = {
    ...organizationKey.storageDestination(tenant, id),
    id,
    ...wish,
    sealed: await sealCredentials(tenant, id, credentials),
    masked: maskCredentials(credentials),
    ...('roleArn' in credentials && { externalId: externalIdOf(tenant) }),
    status: 'connected',
    backupCount: 0,
    lastTestedAt: iso(now),
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const storage = destinationData(destination);
  const { name, type, bucket, prefix } = wish;
  return {
    destination,
    change: {
      writes: [
        create(destination),
        whileActive(tenant),
        emit(tenant, 'storage.connected', { organization: organizationRef(organization), storage }, now),
      ],
      audit: [{ ...about(tenant, id), details: { name, type, bucket, prefix } }],
    },
  };
};

/**
 * Refused while a backup lies there, or the organization or one of its projects names it as where backups go. That no schedule
 * does was looked at after the record was read.
 */
export const removeDestination = async (
  { tenant }: Pick<CallerContext, 'tenant'>,
  { id, name, type, bucket, prefix, scheduledUse }: DestinationRecord,
): Promise<Change> => {
  const user = await projectUsing(tenant, id);
  if (user) throw destinationInUse(`The project ${user.name} sends its backups here`, { projectId: user.id });
  return {
    writes: [
      {
        remove: organizationKey.storageDestination(tenant, id),
        // Absent until a schedule named it for the first time.
        condition: `attribute_exists(pk) AND backupCount = :none AND ${scheduledUse === undefined ? 'attribute_not_exists(scheduledUse)' : 'scheduledUse = :seen'}`,
        values: { ':none': 0, ...(scheduledUse !== undefined && { ':seen': scheduledUse }) },
        onConditionFailed: async () => {
          const found = await get(destinationKey(tenant, id));
          if (!found) return destinationNotFound();
          return found.backupCount > 0
            ? destinationInUse('Backups lie here', { backupCount: found.backupCount })
            : new StaleReadError();
        },
      },
      {
        check: organizationKey.organization(tenant),
        condition: 'attribute_exists(pk) AND attribute_not_exists(deletedAt) AND defaultStorageId <> :id',
        values: { ':id': id },
        onConditionFailed: () =>
          destinationInUse('The organization sends its backups here by default', { defaultOf: 'organization' }),
      },
    ],
    audit: [{ ...about(tenant, id), details: { name, type, bucket, prefix } }],
  };
};

export const about = ({ organizationId }: Tenant, id: string) => ({
  scope: organizationId,
  resource: { type: 'storage_destination', id },
});

export const destinationInUse = (why: string, details: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError('CONFLICT', `${why}; it cannot be removed`, details);

const projectUsing = async (tenant: Tenant, id: string): Promise<ProjectRecord | undefined> => {
  const where = { 'settings.defaultStorageId': id };
  for await (const project of walk({ pk: organizationKey.organization(tenant).pk, prefix: projectPrefix, where }))
    return project as ProjectRecord;
  return undefined;
};
