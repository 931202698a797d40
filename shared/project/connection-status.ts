import { organizationKey, whileMember } from '../organization/index.ts';
import { check, get, iso, StaleReadError, set, type Tenant, type Write } from '../platform/index.ts';
import { projectNotFound } from './read-project.ts';
import { type Connection, type DatabaseInfo, type ProjectRecord, projectKey } from './record.ts';

/** The source denied access; the project has to be reconnected. */
export const unauthorizedWrite = (tenant: Tenant, { id }: Pick<ProjectRecord, 'id'>, now: Date): Write =>
  set(projectKey.project(tenant, id), { status: 'unauthorized', updatedAt: iso(now) }, { onConditionFailed: projectNotFound });

/** Fails the transaction if the user whose grant the connection uses has left. */
export const membershipCheck = (tenant: Tenant, connection: Connection): readonly Write[] =>
  connection.type === 'user' && connection.userId !== undefined ? [whileMember(tenant, connection.userId)] : [];

/** The source granted access, with the project's connection or a new one. */
export const connectedWrite = (
  tenant: Tenant,
  {
    project: { id },
    now,
    connection,
    database,
  }: {
    readonly project: Pick<ProjectRecord, 'id'>;
    readonly now: Date;
    readonly connection?: Connection | undefined;
    readonly database?: DatabaseInfo | undefined;
  },
): Write =>
  set(
    projectKey.project(tenant, id),
    { status: 'connected', updatedAt: iso(now), ...(connection && { connection }), ...(database && { database }) },
    { onConditionFailed: projectNotFound },
  );

/**
 * A job that began at `since` has completed with the project's connection. If access was refused before, it is granted again: the project
 * is connected, unless it uses the grant of a former member. No writes if nothing changes.
 */
export const regainedAccessWrites = async (
  tenant: Tenant,
  project: ProjectRecord | undefined,
  { since, now, attributes = {} }: { readonly since: string; readonly now: Date; readonly attributes?: Partial<ProjectRecord> },
): Promise<readonly Write[]> => {
  if (project?.status !== 'unauthorized' || project.updatedAt >= since) return [];
  const { id, connection, updatedAt } = project;
  const userId = connection.type === 'user' ? connection.userId : undefined;
  const member = userId === undefined ? undefined : organizationKey.member(tenant, userId);
  if (member && !(await get(member))) return [];
  const onConditionFailed = () => new StaleReadError();
  const connected = { ...attributes, status: 'connected', updatedAt: iso(now) };
  return [
    set(projectKey.project(tenant, id), connected, { expected: { status: 'unauthorized', updatedAt }, onConditionFailed }),
    ...(member ? [check(member, {}, onConditionFailed)] : []),
  ];
};

/** Records the latest backup of a project, which read the source from `since` on. */
export const backedUpWrites = async (
  tenant: Tenant,
  { projectId, backupId, since }: { readonly projectId: string; readonly backupId: string; readonly since: string },
  now: Date,
): Promise<readonly Write[]> => {
  const key = projectKey.project(tenant, projectId);
  const attributes = { lastBackupAt: iso(now), lastBackupId: backupId };
  const regained = await regainedAccessWrites(tenant, await get(key), { since, now, attributes });
  return regained.length > 0 ? regained : [set(key, attributes)];
};
