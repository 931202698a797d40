import { auditEntry, type Origin } from '../audit/index.ts';
import { markRetentionDue } from '../backup/index.ts';
import { emit } from '../event/index.ts';
import {
  type CallerContext,
  noSuchOrganization,
  type OrganizationEntry,
  organizationKey,
  organizationRef,
} from '../organization/index.ts';
import { check, commit, create, get, iso, StaleReadError, set, type Tenant, update, type Write } from '../platform/index.ts';
import { jobRelease, moveConnection, type ProjectRecord, projectData, projectKey } from '../project/index.ts';
import type { Tally } from './check-movable.ts';
import { copyDestinations } from './copy-destinations.ts';
import { type MoveContext, unchanged } from './move-context.ts';

export interface MoveCaller extends CallerContext {
  readonly origin: Origin;
}

interface SwitchInput {
  readonly caller: MoveCaller;
  readonly target: OrganizationEntry;
  readonly project: ProjectRecord;
  readonly tally: Tally;
  readonly now: Date;
}

/** Switches the project in one transaction, with the counts, audit entries and events of both organizations. */
export const switchOrganization = async (
  move: MoveContext,
  { caller, target, project, tally, now }: SwitchInput,
): Promise<ProjectRecord> => {
  const { from, to, projectId } = move;
  const arrived = await arrivedProject(move, project, now);
  const resource = { type: 'project', id: projectId };
  const { writes: destinations, handedOver } = await copyDestinations(move, project, tally, target.organization, now);
  const details = {
    from: from.organizationId,
    to: to.organizationId,
    name: project.name,
    backups: tally.backups,
    // Members of the target organization can use their credentials from now on.
    storageDestinations: handedOver,
  };
  const entry = ({ organizationId: scope }: Tenant): Write =>
    auditEntry('project.moved', { scope, resource, details }, caller.actor, caller.origin, now);
  await commit([
    { remove: { pk: project.pk, sk: project.sk }, ...unchanged(project), onConditionFailed: () => new StaleReadError() },
    create(arrived, () => new StaleReadError()),
    { ...jobRelease(from, projectId, move.id), onConditionFailed: () => new StaleReadError() },
    setSide(from, move, true),
    setSide(to, move, false),
    countContents(from, -1, tally),
    countContents(to, 1, tally),
    whileMember(from, caller),
    whileMember(to, { ...caller, role: target.role }),
    ...destinations,
    markRetentionDue(to, now),
    entry(from),
    entry(to),
    emit(from, 'project.deleted', { organization: organizationRef(caller.organization), project: projectData(project) }, now),
    emit(to, 'project.created', { organization: organizationRef(target.organization), project: projectData(arrived) }, now),
  ]);
  return arrived;
};

/** A user's grant is not transferred: if the user is no member of the target, the project must be reconnected. */
const arrivedProject = async ({ from, to }: MoveContext, project: ProjectRecord, now: Date): Promise<ProjectRecord> => {
  const connection = await moveConnection(from, to, project);
  const isUsable = connection.type !== 'user' || (await get(organizationKey.member(to, connection.userId))) !== undefined;
  return {
    ...project,
    ...projectKey.project(to, project.id),
    connection,
    status: isUsable ? project.status : 'unauthorized',
    updatedAt: iso(now),
  };
};

const setSide = (side: Tenant, { id, projectId }: MoveContext, was: boolean): Write =>
  set(
    projectKey.move(side, projectId),
    { isHere: !was },
    { expected: { id, isHere: was, isEnding: undefined }, onConditionFailed: () => new StaleReadError() },
  );

const countContents = (tenant: Tenant, sign: 1 | -1, { backups, bytes }: Tally): Write =>
  update(organizationKey.organization(tenant), {
    add: { projectCount: sign, backupCount: sign * backups, storageUsed: sign * bytes },
    expected: { deletedAt: undefined },
    onConditionFailed: noSuchOrganization,
  });

/** Fails the transaction unless the caller still has the role that was read. */
const whileMember = (tenant: Tenant, { actor, role }: Pick<MoveCaller, 'actor' | 'role'>): Write =>
  check(organizationKey.member(tenant, actor.id), { role }, () => new StaleReadError());
