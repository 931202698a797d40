import type { OrganizationRecord } from '../../organization/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey, readProject } from '../../project/index.ts';
import type { RestoreRecord } from './record.ts';

/** The organization and the projects of a restore, as events show them. */
export interface RestoreContext {
  readonly tenant: Tenant;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  /** Project of the backup; undefined once it is disconnected. */
  readonly project: ProjectRecord | undefined;
  readonly target: ProjectRecord;
}

/** Throws PROJECT_NOT_FOUND if the target is gone. */
export const loadRestoreContext = async (
  tenant: Tenant,
  { projectId, targetProjectId }: RestoreRecord,
  organization: OrganizationRecord,
): Promise<RestoreContext> => {
  const target = await readProject(tenant, targetProjectId);
  const isSame = projectId === targetProjectId;
  const project = isSame ? target : await get(projectKey.project(tenant, projectId));
  return { tenant, organization, project, target };
};
