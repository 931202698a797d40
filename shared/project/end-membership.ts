/** The end of a membership, with what depends on it: connections with the member's grant and API keys the member made. */
import { auditNote, systemAudit } from '../audit/index.ts';
import { ApiError } from '../contract/errors.ts';
import {
  type CallerContext,
  endKeysOf,
  keysGrantedBy,
  organizationKey,
  readMember,
  readServiceAccountKey,
  removeMember,
} from '../organization/index.ts';
import {
  type Change,
  commit,
  get,
  iso,
  retryOnConflict,
  StaleReadError,
  set,
  type Tenant,
  type Write,
  walk,
} from '../platform/index.ts';
import { type ProjectRecord, projectKey, projectPrefix } from './record.ts';

/** Of the 100 writes of a transaction: each project needs two. The task does the rest. */
const projectsAtOnceMax = 40;

/** Removes a member, or the caller themselves. Projects connected with the member's grant become unauthorized. */
export const endMembership = async (caller: CallerContext, userId: string, now: Date): Promise<Change> => {
  const { tenant, actor } = caller;
  const [{ target }, projects, serviceAccount, apiKeys] = await Promise.all([
    readMember(tenant, userId, actor.id),
    connectedBy(tenant, userId),
    readServiceAccountKey(tenant),
    keysGrantedBy(tenant, userId),
  ]);
  // The caller has left since the call was authorized: answered like a call that comes later.
  if (!target && userId === actor.id) throw new ApiError('FORBIDDEN', 'You are not a member of this organization');
  const refs = projects.map(({ id, name, sourceProjectId }) => ({ id, name, sourceProjectId }));
  const { writes, audit } = removeMember(caller, { target, projects: refs, serviceAccount, apiKeys }, now);
  const first = projects.slice(0, projectsAtOnceMax);
  return {
    writes: [...writes, ...first.map((project) => withdrawn(tenant, project, now))],
    audit: [...audit, ...first.map((project) => ({ ...withdrawalNote(tenant, project), action: unauthorizedAction }))],
  };
};

/** The task after a departure. Does nothing if the user is a member again. Idempotent. */
export const finishDeparture = async (tenant: Tenant, userId: string, now: Date): Promise<void> => {
  if (await get(organizationKey.member(tenant, userId))) return;
  await retryOnConflict({ attempts: 5, jitterMs: 100 }, async () => {
    const { writes, audit } = endKeysOf(tenant, { userId, found: await readServiceAccountKey(tenant), now });
    await commit([...writes, ...audit.map(({ action, ...note }) => systemAudit('membership', { action, note, now }))]);
    for (const project of await connectedBy(tenant, userId))
      await commit([
        withdrawn(tenant, project, now),
        systemAudit('membership', { action: unauthorizedAction, note: withdrawalNote(tenant, project), now }),
      ]);
  });
};

const connectedBy = async (tenant: Tenant, userId: string): Promise<readonly ProjectRecord[]> => {
  const where = { 'connection.userId': userId, status: 'connected' };
  const found: ProjectRecord[] = [];
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: projectPrefix, where };
  for await (const project of walk<ProjectRecord>(range)) found.push(project);
  return found;
};

const withdrawn = (tenant: Tenant, { id, connection }: ProjectRecord, now: Date): Write =>
  set(
    projectKey.project(tenant, id),
    { status: 'unauthorized', updatedAt: iso(now) },
    { expected: { status: 'connected', connection }, onConditionFailed: () => new StaleReadError() },
  );

const unauthorizedAction = 'project.unauthorized' as const;

const withdrawalNote = (tenant: Tenant, { id, connection: { email } }: ProjectRecord) =>
  auditNote(tenant, {
    type: 'project',
    id,
    details: { reason: `${email}, whose access the project uses, is no longer a member` },
  });
