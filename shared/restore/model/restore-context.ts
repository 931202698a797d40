import type { OrganizationRecord } from '../../organization/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey, readProject } from '../../project/index.ts';
import type { RestoreRecord } from './record.ts';

/** Whom events are about, beside the restore. */
export interface RestoreContext {
  readonly tenant: Tenant;
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  /** Of the backup; it may be gone by now. */
  readonly project: ProjectRecord | undefined;
  readonly target: ProjectRecord;
}

/** Whom a restore is about. Its target must be there; the project of its backup may be gone. */
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
