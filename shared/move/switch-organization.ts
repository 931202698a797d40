/** The one transaction by which a project is there and no longer here: with its counts, its log entries and its events. */
import { auditEntry, type Origin } from '../audit/index.ts';
import { retentionNote } from '../backup/index.ts';
import { emit } from '../event/index.ts';
import { type Acting, named, noSuchOrganization, type OrganizationEntry, organizationKey } from '../organization/index.ts';
import { commit, create, get, iso, Overtaken, set, type Tenant, type Write } from '../platform/index.ts';
import { carryConnection, jobRelease, type ProjectRecord, projectData, projectKey } from '../project/index.ts';
import type { Tally } from './check-movable.ts';
import { carryDestinations } from './copy-destinations.ts';
import { type Route, unchanged } from './move-context.ts';

export interface Mover extends Acting {
  readonly origin: Origin;
}

export const cross = async (
  route: Route,
  {
    mover,
    target,
    project,
    tally,
    now,
  }: {
    readonly mover: Mover;
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
    { remove: { pk: project.pk, sk: project.sk }, ...unchanged(project), otherwise: () => new Overtaken() },
    create(arrived, () => new Overtaken()),
    { ...jobRelease(from, projectId, route.id), otherwise: () => new Overtaken() },
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
    emit(from, 'project.deleted', { organization: named(mover.organization), project: gone }, now),
    emit(to, 'project.created', { organization: named(target.organization), project: come }, now),
  ]);
  return arrived;
};

/** A grant stays with its person: where that person is no member, the project waits to be reconnected. */
const arrivedProject = async ({ from, to }: Route, project: ProjectRecord, now: Date): Promise<ProjectRecord> => {
  const connection = await carryConnection(from, to, project);
  const isLent = connection.type !== 'user' || (await get(organizationKey.member(to, connection.userId))) !== undefined;
  return {
    ...project,
    ...projectKey.project(to, project.id),
    connection,
    status: isLent ? project.status : 'unauthorized',
    updatedAt: iso(now),
  };
};

const turned = (side: Tenant, { id, projectId }: Route, was: boolean): Write =>
  set(
    projectKey.move(side, projectId),
    { isHere: !was },
    { where: { id, isHere: was, isEnding: undefined }, otherwise: () => new Overtaken() },
  );

const counted = (tenant: Tenant, sign: 1 | -1, { backups, bytes }: Tally): Write => ({
  update: organizationKey.organization(tenant),
  expression: 'ADD projectCount :projects, backupCount :backups, storageUsed :bytes',
  condition: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
  values: { ':projects': sign, ':backups': sign * backups, ':bytes': sign * bytes },
  otherwise: noSuchOrganization,
});

/** With the role that was read. */
const stillIn = (tenant: Tenant, { actor, role }: Pick<Mover, 'actor' | 'role'>): Write => ({
  check: organizationKey.member(tenant, actor.id),
  condition: '#role = :role',
  names: { '#role': 'role' },
  values: { ':role': role },
  otherwise: () => new Overtaken(),
});
