import type { OrganizationRecord } from '../../organization/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { projectKey, readProject } from '../../project/index.ts';
import type { RestoreParties } from '../check/check-run.ts';
import type { RestoreRecord } from './record.ts';

/** Whom a restore is about. Its target must be there; the project of its backup may be gone. */
export const partiesOf = async (
  tenant: Tenant,
  { projectId, targetProjectId }: RestoreRecord,
  organization: OrganizationRecord,
): Promise<RestoreParties> => {
  const target = await readProject(tenant, targetProjectId);
  const isSame = projectId === targetProjectId;
  const project = isSame ? target : await get(projectKey.project(tenant, projectId));
  return { tenant, organization, project, target };
};
