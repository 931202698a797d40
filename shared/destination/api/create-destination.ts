import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type CallerContext, organizationKey, whileActive } from '../../organization/index.ts';
import {
  type Change,
  check,
  create,
  get,
  iso,
  not,
  omitUndefined,
  remove,
  StaleReadError,
  type Tenant,
  walk,
} from '../../platform/index.ts';
import { type ProjectRecord, projectPrefix } from '../../project/index.ts';
import { storedCredentials } from '../model/credentials.ts';
import { connectedEvent, destinationKey, destinationNotFound } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';
import { externalIdOf } from '../open/open-store.ts';
import type { DestinationInput } from './destination-input.ts';

/** For input that was checked and tested. */
export const createDestination = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  { id, input: { credentials, ...input }, now }: { readonly id: string; readonly input: DestinationInput; readonly now: Date },
): Promise<{ destination: DestinationRecord; change: Change }> => {
  const destination: DestinationRecord = {
    ...organizationKey.storageDestination(tenant, id),
    id,
    ...input,
    ...omitUndefined(await storedCredentials(tenant, id, credentials)),
    ...('roleArn' in credentials && { externalId: externalIdOf(tenant) }),
    status: 'connected',
    backupCount: 0,
    lastTestedAt: iso(now),
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const { name, type, bucket, prefix } = input;
  return {
    destination,
    change: {
      writes: [create(destination), whileActive(tenant), connectedEvent({ tenant, organization }, destination, now)],
      audit: [auditNote(tenant, { type: 'storage_destination', id, details: { name, type, bucket, prefix } })],
    },
  };
};

/**
 * Throws CONFLICT while the destination contains backups or is the default of the organization or a project. The caller has checked
 * the schedules after it read the record; `scheduledUse` detects one that was added meanwhile.
 */
export const removeDestination = async (
  { tenant }: Pick<CallerContext, 'tenant'>,
  { id, name, type, bucket, prefix, scheduledUse }: DestinationRecord,
): Promise<Change> => {
  const user = await projectUsing(tenant, id);
  if (user) throw destinationInUse(`The project ${user.name} uses this destination`, { projectId: user.id });
  const key = destinationKey(tenant, id);
  const whyKept = async (): Promise<ApiError> => {
    const found = await get(key);
    if (!found) return destinationNotFound();
    return found.backupCount > 0
      ? destinationInUse('The destination contains backups', { backupCount: found.backupCount })
      : new StaleReadError();
  };
  return {
    writes: [
      remove(key, whyKept, { backupCount: 0, scheduledUse }),
      check(organizationKey.organization(tenant), { deletedAt: undefined, defaultStorageId: not(id) }, () =>
        destinationInUse('It is the default destination of the organization', { defaultOf: 'organization' }),
      ),
    ],
    audit: [auditNote(tenant, { type: 'storage_destination', id, details: { name, type, bucket, prefix } })],
  };
};

export const destinationInUse = (reason: string, details: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError('CONFLICT', `${reason}; it cannot be deleted`, details);

const projectUsing = async (tenant: Tenant, id: string): Promise<ProjectRecord | undefined> => {
  const where = { 'settings.defaultStorageId': id };
  for await (const project of walk<ProjectRecord>({ pk: organizationKey.organization(tenant).pk, prefix: projectPrefix, where }))
    return project;
  return undefined;
};
