import { whileMember } from '../organization/index.ts';
import { iso, set, type Tenant, type Write } from '../platform/index.ts';
import { projectNotFound } from './read-project.ts';
import { type Connection, type ProjectRecord, projectKey } from './record.ts';

/** The source denied access; the project has to be reconnected. */
export const unauthorizedWrite = (tenant: Tenant, { id }: Pick<ProjectRecord, 'id'>, now: Date): Write =>
  set(projectKey.project(tenant, id), { status: 'unauthorized', updatedAt: iso(now) }, { onConditionFailed: projectNotFound });

/** Fails the transaction if the user whose grant the connection uses has left. */
export const membershipCheck = (tenant: Tenant, connection: Connection): readonly Write[] =>
  connection.type === 'user' && connection.userId !== undefined ? [whileMember(tenant, connection.userId)] : [];

/** The source granted access, with the project's connection or a new one. */
export const connectedWrite = (tenant: Tenant, { id }: Pick<ProjectRecord, 'id'>, now: Date, connection?: Connection): Write =>
  set(
    projectKey.project(tenant, id),
    { status: 'connected', updatedAt: iso(now), ...(connection && { connection }) },
    { onConditionFailed: projectNotFound },
  );
