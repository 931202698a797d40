import { auditEntry, type Origin } from '../audit/index.ts';
import { projectEvents } from '../contract/event-data/project-events.ts';
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
import { markRetentionDue } from '../stored-backup/index.ts';
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
  // An admin must not be able to carry off the credentials of an organization.
  const withCredentials = caller.role === 'owner' && target.role === 'owner';
  const arrived = await arrivedProject(move, project, { now, withCredentials, callerId: caller.actor.id });
  const resource = { type: 'project', id: projectId };
  const { organization } = target;
  const copied = await copyDestinations(move, project, { tally, organization, withCredentials, now });
  const details = {
    from: from.organizationId,
    to: to.organizationId,
    name: project.name,
    backups: tally.backups,
    // Members of the target organization can use the credentials of these from now on.
    storageDestinations: copied.handedOver,
    storageDestinationsWithoutCredentials: copied.withoutCredentials,
    status: arrived.status,
  };
  const entry = ({ organizationId: scope }: Tenant): Write =>
    auditEntry('project.moved', { note: { scope, resource, details }, actor: caller.actor, origin: caller.origin, now });
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
    ...copied.writes,
    markRetentionDue(to, now),
    entry(from),
    entry(to),
    emit(from, {
      schemas: projectEvents,
      name: 'project.deleted',
      data: { organization: organizationRef(caller.organization), project: projectData(project) },
      now,
    }),
    emit(to, {
      schemas: projectEvents,
      name: 'project.created',
      data: { organization: organizationRef(target.organization), project: projectData(arrived) },
      now,
    }),
  ]);
  return arrived;
};

interface Arrival {
  readonly now: Date;
  readonly withCredentials: boolean;
  readonly callerId: string;
}

/**
 * Without its credentials, or if its user is no member of the target, the project must be reconnected. A workload identity is bound to
 * its organization.
 */
const arrivedProject = async (
  { from, to }: MoveContext,
  project: ProjectRecord,
  { now, withCredentials, callerId }: Arrival,
): Promise<ProjectRecord> => {
  const { type, email } = project.connection;
  const userId = project.connection.type === 'user' ? project.connection.userId : undefined;
  // The caller's own grant is the caller's to take along.
  const isMoved = withCredentials || userId === callerId;
  const isUsable =
    isMoved &&
    type !== 'workload_identity' &&
    (userId === undefined || (await get(organizationKey.member(to, userId))) !== undefined);
  return {
    ...project,
    ...projectKey.project(to, project.id),
    connection: isMoved ? await moveConnection(from, to, project) : { type, email },
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
