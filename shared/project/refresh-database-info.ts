import { clock, commit, log, set, type Tenant } from '../platform/index.ts';
import { isDatabaseInfoDue, readDatabaseInfo } from './database-info.ts';
import { type DatabaseInfo, type ProjectRecord, projectKey } from './record.ts';

/** Asks the Admin API once a day, and stores what it tells. A failure changes nothing: it is no reason for a job to fail. */
export const refreshDatabaseInfo = async (tenant: Tenant, project: ProjectRecord): Promise<ProjectRecord> => {
  if (!isDatabaseInfoDue(project, clock.now())) return project;
  try {
    const found = await readDatabaseInfo(tenant, project);
    const database = keptInfo(project.database, found);
    await commit([set(projectKey.project(tenant, project.id), { database })]);
    return { ...project, database };
  } catch (error) {
    log.warn('what the Admin API tells about a database was not stored', { projectId: project.id, error });
    return project;
  }
};

/** An Admin API that does not answer says nothing new. */
const keptInfo = (before: DatabaseInfo | undefined, found: DatabaseInfo): DatabaseInfo =>
  found.state === 'unknown' && before !== undefined ? { ...before, checkedAt: found.checkedAt } : found;
