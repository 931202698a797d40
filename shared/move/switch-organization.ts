/** The one transaction by which a project is there and no longer here: with its counts, its log entries and its events. */
import { auditEntry, type Origin } from '../audit/index.ts';
import { retentionNote } from '../backup/index.ts';
import { emit } from '../event/index.ts';
import {
  type CallerContext,
  noSuchOrganization,
  type OrganizationEntry,
  organizationKey,
  organizationRef,
} from '../organization/index.ts';
import { commit, create, get, iso, StaleReadError, set, type Tenant, type Write } from '../platform/index.ts';
import { jobRelease, moveConnection, type ProjectRecord, projectData, projectKey } from '../project/index.ts';
import type { Tally } from './check-movable.ts';
import { carryDestinations } from './copy-destinations.ts';
import { type MoveContext, unchanged } from './move-context.ts';

export interface MoveCaller extends CallerContext {
  readonly origin: Origin;
}

export const switchOrganization = async (
  route: MoveContext,
  {
    mover,
    target,
    project,
    tally,
    now,
  }: {
    readonly mover: MoveCaller;
    readonly target: OrganizationEntry;
    readonly project: ProjectRecord;
    readonly tally: Tally;
    readonly now: Date;
  },
): Promise<ProjectRecord> => {
  const { from, to, projectId } = route;
  const arrived = await arrivedProject(route, project, now);
  const resource = { type: 'project', id: projectId };
  const { writes: destinations, handedOver } = await carryDestinations(route, project, tally, target.organization, now);
  const details = {
    from: from.organizationId,
    to: to.organizationId,
    name: project.name,
    backups: tally.backups,
    // Whoever is in the other organization can use their credentials from now on.
    storageDestinations: handedOver,
  };
  const entry = ({ organizationId: scope }: Tenant): Write =>
    auditEntry('project.moved', { scope, resource, details }, mover.actor, mover.origin, now);
  const [gone, come] = [projectData(project), projectData(arrived)];
  await commit([
    { remove: { pk: project.pk, sk: project.sk }, ...unchanged(project), onConditionFailed: () => new StaleReadError() },
    create(arrived, () => new StaleReadError()),
    { ...jobRelease(from, projectId, route.id), onConditionFailed: () => new StaleReadError() },
    turned(from, route, true),
    turned(to, route, false),
    counted(from, -1, tally),
    counted(to, 1, tally),
    stillIn(from, mover),
    stillIn(to, { ...mover, role: target.role }),
    ...destinations,
    retentionNote(to, now),
    entry(from),
    entry(to),
    emit(from, 'project.deleted', { organization: organizationRef(mover.organization), project: gone }, now),
    emit(to, 'project.created', { organization: organizationRef(target.organization), project: come }, now),
  ]);
  return arrived;
};

/** A grant stays with its person: where that person is no member, the project waits to be reconnected. */
const arrivedProject = async ({ from, to }: MoveContext, project: ProjectRecord, now: Date): Promise<ProjectRecord> => {
  const connection = await moveConnection(from, to, project);
  const isLent = connection.type !== 'user' || (await get(organizationKey.member(to, connection.userId))) !== undefined;
  return {
    ...project,
    ...projectKey.project(to, project.id),
    connection,
    status: isLent ? project.status : 'unauthorized',
    updatedAt: iso(now),
  };
};

const turned = (side: Tenant, { id, projectId }: MoveContext, was: boolean): Write =>
  set(
    projectKey.move(side, projectId),
    { isHere: !was },
    { expected: { id, isHere: was, isEnding: undefined }, onConditionFailed: () => new StaleReadError() },
  );

const counted = (tenant: Tenant, sign: 1 | -1, { backups, bytes }: Tally): Write => ({
  update: organizationKey.organization(tenant),
  expression: 'ADD projectCount :projects, backupCount :backups, storageUsed :bytes',
  condition: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
  values: { ':projects': sign, ':backups': sign * backups, ':bytes': sign * bytes },
  onConditionFailed: noSuchOrganization,
});

/** With the role that was read. */
const stillIn = (tenant: Tenant, { actor, role }: Pick<MoveCaller, 'actor' | 'role'>): Write => ({
  check: organizationKey.member(tenant, actor.id),
  condition: '#role = :role',
  names: { '#role': 'role' },
  values: { ':role': role },
  onConditionFailed: () => new StaleReadError(),
});
