/** Whether a project's source lets us in, as the record says it. */
import { iso, set, type Tenant, type Write } from '../platform/index.ts';
import { projectNotFound } from './read-project.ts';
import { type Connection, type ProjectRecord, projectKey } from './record.ts';

/** The source refused: the project waits to be reconnected. */
export const unauthorizedWrite = (tenant: Tenant, { id }: Pick<ProjectRecord, 'id'>, now: Date): Write =>
  set(projectKey.project(tenant, id), { status: 'unauthorized', updatedAt: iso(now) }, { onConditionFailed: projectNotFound });

/** The source lets us in, by the connection the project has or by a new one. */
export const connectedWrite = (tenant: Tenant, { id }: Pick<ProjectRecord, 'id'>, now: Date, connection?: Connection): Write =>
  set(
    projectKey.project(tenant, id),
    { status: 'connected', updatedAt: iso(now), ...(connection && { connection }) },
    { onConditionFailed: projectNotFound },
  );
