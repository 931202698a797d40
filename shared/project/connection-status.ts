import { organizationKey, whileMember } from '../organization/index.ts';
import { check, get, iso, StaleReadError, set, type Tenant, type Write } from '../platform/index.ts';
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

/**
 * Records a completed backup that read the source from `since` on. If access was refused before, it is granted again: the project is
 * connected, unless it uses the grant of a former member.
 */
export const backedUpWrites = async (
  tenant: Tenant,
  { projectId, backupId, since }: { readonly projectId: string; readonly backupId: string; readonly since: string },
  now: Date,
): Promise<readonly Write[]> => {
  const key = projectKey.project(tenant, projectId);
  const latest = { lastBackupAt: iso(now), lastBackupId: backupId };
  const project = await get(key);
  if (project?.status !== 'unauthorized' || project.updatedAt >= since) return [set(key, latest)];
  const { connection, updatedAt } = project;
  const userId = connection.type === 'user' ? connection.userId : undefined;
  const member = userId === undefined ? undefined : organizationKey.member(tenant, userId);
  if (member && !(await get(member))) return [set(key, latest)];
  const onConditionFailed = () => new StaleReadError();
  const connected = { ...latest, status: 'connected', updatedAt: iso(now) };
  return [
    set(key, connected, { expected: { status: 'unauthorized', updatedAt }, onConditionFailed }),
    ...(member ? [check(member, {}, onConditionFailed)] : []),
  ];
};
