import { invalid } from '../../contract/errors.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { readDestination } from './read-destination.ts';
import type { DestinationRecord } from './record.ts';

/** The default destination of the project, else of the organization. Throws if that destination does not exist. */
export const defaultDestination = async (
  tenant: Tenant,
  organization: OrganizationRecord,
  project: ProjectRecord,
): Promise<DestinationRecord> => {
  const chosen = project.settings.defaultStorageId ?? organization.defaultStorageId;
  if (chosen === null)
    throw invalid('storageDestinationId', 'is required: neither the project nor the organization has a default');
  return readDestination(tenant, chosen);
};
