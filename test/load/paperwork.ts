/** What people of an organization do all day: make, rename and remove things, and look at many more. */
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

/** How things of a kind are made, renamed, removed and listed, and which events tell of it. */
interface Craft {
  readonly kind: Kind;
  readonly create: Endpoint;
  readonly update?: Endpoint;
  readonly remove: Endpoint;
  readonly list: Endpoint;
  readonly param: string;
  /** The field that is its name. */
  readonly named: string;
  readonly events: Readonly<Partial<Record<'create' | 'update' | 'remove', string>>>;
  readonly bodyOf: (tenant: Tenant) => Readonly<Record<string, unknown>>;
}

export const crafts: readonly Craft[] = [
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

const looks: readonly Endpoint[] = [
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
/** Of one kind, by one person: what is more is removed again, oldest first. */
const keptMax = 5;

const newName = (): string => `Load ${randomUUID()}`;

export interface Habits {
  /** What is made, renamed and removed; everything unless given. */
  readonly kinds?: readonly Kind[];
  /** Calls that only read, between two changes: a console asks far more often than it changes something. */
  readonly looks: number;
}

/**
 * One person's work until it is over. Only the first of an organization renames it:
 * whose name is the last must be known.
 */
export const doPaperwork = async (
  tenant: Tenant,
  person: number,
  { kinds, looks: looksPerChange }: Habits,
  isOver: () => boolean,
): Promise<void> => {
  const practised = crafts.filter(({ kind }) => !kinds || kinds.includes(kind));
  const kept = new Map<Kind, string[]>();
  let looked = person;
  for (let n = person; !isOver(); n++) {
    if (person === 0) await renameOrganization(tenant);
    const craft = practised[n % practised.length];
    if (craft) await practise(tenant, craft, kept);
    for (let times = 0; times < looksPerChange && !isOver(); times++) {
      const look = looks[looked++ % looks.length];
      if (look) await tenant.client.ask(look, {}, 200);
    }
  }
};

const renameOrganization = async ({ client, ledger, organization }: Tenant): Promise<void> => {
  const name = newName();
  const { status } = await client.ask(organizations.update, { body: { name } }, 200);
  if (status !== 200) return;
  ledger.wrote('organization', organization.id, name);
  ledger.promise('organization.updated', name);
};

const practise = async (tenant: Tenant, craft: Craft, kept: Map<Kind, string[]>): Promise<void> => {
  const { client, ledger } = tenant;
  const { kind, create, update, remove, param, named, events } = craft;
  const ids = kept.get(kind) ?? [];
  kept.set(kind, ids);
  const body = craft.bodyOf(tenant);
  const made = await client.ask(create, { body }, 201);
  if (made.status !== 201) return;
  const { id } = made.body.data as { id: string };
  ids.push(id);
  ledger.wrote(kind, id, String(body[named]));
  if (events.create) ledger.promise(events.create, id);
  if (update) {
    const name = newName();
    const { status } = await client.ask(update, { params: { [param]: id }, body: { name } }, 200);
    if (status === 200) ledger.wrote(kind, id, name);
    if (status === 200 && events.update) ledger.promise(events.update, id);
  }
  const oldest = ids.length > keptMax ? ids.shift() : undefined;
  if (oldest === undefined) return;
  // Who asks again after a lost answer may find it gone already.
  const gone = await client.ask(remove, { params: { [param]: oldest } }, 200, 404);
  if (gone.status === 404 && !gone.isRepeated) tenant.meter.surprise(`${kind} ${oldest} was not there to be removed`);
  ledger.removed(kind, oldest);
  if (events.remove) ledger.promise(events.remove, oldest);
};
