/** Traffic of an organization's users: they create, rename and remove resources, and read many more. */
import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { auditLogs } from '../../shared/contract/endpoints/audit-logs.ts';
import { auth } from '../../shared/contract/endpoints/auth.ts';
import { backups } from '../../shared/contract/endpoints/backups.ts';
import { invites } from '../../shared/contract/endpoints/invitations.ts';
import { members } from '../../shared/contract/endpoints/members.ts';
import { organizations } from '../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../shared/contract/endpoints/projects.ts';
import { restores } from '../../shared/contract/endpoints/restores.ts';
import { schedules } from '../../shared/contract/endpoints/schedules.ts';
import { storageDestinations } from '../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../shared/contract/endpoints/webhooks.ts';
import type { Kind } from './ledger.ts';
import type { Tenant } from './tenant.ts';

/** The endpoints and events of a kind of resource. */
interface ResourceKind {
  readonly kind: Kind;
  readonly create: Endpoint;
  readonly update?: Endpoint;
  readonly remove: Endpoint;
  readonly list: Endpoint;
  readonly param: string;
  /** The field with its name. */
  readonly named: string;
  readonly events: Readonly<Partial<Record<'create' | 'update' | 'remove', string>>>;
  readonly bodyOf: (tenant: Tenant) => Readonly<Record<string, unknown>>;
}

export const resources: readonly ResourceKind[] = [
  {
    ...{ kind: 'project', create: projects.create, update: projects.update, remove: projects.remove, list: projects.list },
    ...{ param: 'projectId', named: 'name', events: { create: 'project.created', remove: 'project.deleted' } },
    bodyOf: () => ({ name: newName(), sourceProjectId: `load-${randomUUID()}` }),
  },
  {
    ...{ kind: 'schedule', create: schedules.create, update: schedules.update, remove: schedules.remove, list: schedules.list },
    ...{ param: 'scheduleId', named: 'name' },
    events: { create: 'schedule.created', update: 'schedule.updated', remove: 'schedule.deleted' },
    bodyOf: ({ sources, destinationId }) => ({
      ...{ name: newName(), cron: '30 2 1 1 *', enabled: false },
      ...{ projectId: sources[0]?.projectId, storageDestinationId: destinationId },
    }),
  },
  {
    ...{ kind: 'invitation', create: invites.create, remove: invites.cancel, list: invites.list },
    ...{ param: 'inviteId', named: 'email', events: { create: 'invitation.created' } },
    bodyOf: () => ({ email: `${randomUUID()}@example.com`, role: 'viewer' }),
  },
  {
    ...{ kind: 'webhook', create: webhooks.create, update: webhooks.update, remove: webhooks.remove, list: webhooks.list },
    ...{ param: 'webhookId', named: 'name', events: {} },
    bodyOf: () => ({ name: newName(), url: 'https://example.com/', events: ['backup.*'], enabled: false }),
  },
];

const reads: readonly Endpoint[] = [
  organizations.current,
  projects.list,
  backups.list,
  schedules.list,
  auth.me,
  members.list,
  webhooks.list,
  restores.list,
  auditLogs.list,
  storageDestinations.list,
];
/** Resources of one kind per user; beyond this number the oldest is removed. */
const keptMax = 5;

const newName = (): string => `Load ${randomUUID()}`;

export interface TrafficOptions {
  /** Kinds of resources to change; default: all. */
  readonly kinds?: readonly Kind[];
  /** Read calls between two changes: a console reads far more often than it writes. */
  readonly reads: number;
}

/**
 * Traffic of one user until `isOver`. Only the first user of an organization renames it, so that its
 * last name is known.
 */
export const runUserTraffic = async (
  tenant: Tenant,
  {
    person,
    traffic: { kinds, reads: readsPerChange },
    isOver,
  }: { readonly person: number; readonly traffic: TrafficOptions; readonly isOver: () => boolean },
): Promise<void> => {
  const chosen = resources.filter(({ kind }) => !kinds || kinds.includes(kind));
  const kept = new Map<Kind, string[]>();
  let position = person;
  for (let n = person; !isOver(); n++) {
    if (person === 0) await renameOrganization(tenant);
    const resource = chosen[n % chosen.length];
    if (resource) await changeResource(tenant, resource, kept);
    for (let times = 0; times < readsPerChange && !isOver(); times++) {
      const look = reads[position++ % reads.length];
      if (look) await tenant.client.ask(look, {}, 200);
    }
  }
};

const renameOrganization = async ({ client, ledger, organization }: Tenant): Promise<void> => {
  const name = newName();
  const { status } = await client.ask(organizations.update, { body: { name } }, 200);
  if (status !== 200) return;
  ledger.wrote('organization', organization.id, name);
  ledger.expectEvent('organization.updated', name);
};

const changeResource = async (tenant: Tenant, resource: ResourceKind, kept: Map<Kind, string[]>): Promise<void> => {
  const { client, ledger } = tenant;
  const { kind, create, update, remove, param, named, events } = resource;
  const ids = kept.get(kind) ?? [];
  kept.set(kind, ids);
  const body = resource.bodyOf(tenant);
  const made = await client.ask(create, { body }, 201);
  if (made.status !== 201) return;
  const { id } = made.body.data as { id: string };
  ids.push(id);
  ledger.wrote(kind, id, String(body[named]));
  if (events.create) ledger.expectEvent(events.create, id);
  if (update) {
    const name = newName();
    const { status } = await client.ask(update, { params: { [param]: id }, body: { name } }, 200);
    if (status === 200) ledger.wrote(kind, id, name);
    if (status === 200 && events.update) ledger.expectEvent(events.update, id);
  }
  const oldest = ids.length > keptMax ? ids.shift() : undefined;
  if (oldest === undefined) return;
  // After a lost response the resource may already be removed.
  const gone = await client.ask(remove, { params: { [param]: oldest } }, 200, 404);
  if (gone.status === 404 && !gone.isRepeated)
    tenant.meter.reportUnexpected(`${kind} ${oldest} was already missing when it was removed`);
  ledger.removed(kind, oldest);
  if (events.remove) ledger.expectEvent(events.remove, oldest);
};
