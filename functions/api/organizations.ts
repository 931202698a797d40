import { accountKey } from '../../shared/account/index.ts';
import { defaultAlert } from '../../shared/alert/index.ts';
import { organizations } from '../../shared/contract/endpoints/organizations.ts';
import { unauthorized } from '../../shared/contract/errors.ts';
import { isId } from '../../shared/contract/ids.ts';
import type { Plan } from '../../shared/contract/limits.ts';
import { handle } from '../../shared/http/index.ts';
import {
  createOrganization,
  deleteOrganization,
  isRecoverable,
  listOrganizations,
  lookup,
  preferredSlug,
  recoverOrganization,
  settingsOf,
  updateSettings,
} from '../../shared/organization/index.ts';
import { deploymentAccountId, env, get, getAll } from '../../shared/platform/index.ts';
import { endMembership } from '../../shared/project/index.ts';

export const create = handle(organizations.create, async ({ user, body: { name, slug }, now }) => {
  const [owner, taken] = await getAll([accountKey.user(user.userId), lookup.slug(preferredSlug({ name, slug }))]);
  if (!owner) throw unauthorized('The user no longer exists. Sign in again');
  const { tenant, organization, change } = createOrganization(owner, { name, slug }, Boolean(taken), now);
  const { writes } = defaultAlert(tenant, organization);
  return { data: organization, change: { ...change, writes: [...change.writes, ...writes] } };
});

export const list = handle(organizations.list, async ({ user, page, query, now }) => {
  const { items, next } = await listOrganizations(user.userId, page, query.status === 'deleted' ? isRecoverable(now) : undefined);
  return { items: items.map(({ organization, role }) => ({ ...organization, role })), next };
});

export const current = handle(organizations.current, async ({ organization }) => {
  const { ownerId, memberCount, projectCount, backupCount, storageUsed } = organization;
  const owner = await get(accountKey.user(ownerId));
  return {
    data: {
      ...organization,
      owner: { id: ownerId, email: owner?.email ?? '', name: owner?.name ?? '' },
      settings: settingsOf(organization),
      statistics: { memberCount, projectCount, backupCount, storageUsed },
      subscription: { plan: env('PLAN') as Plan, status: 'active', billingCycle: 'monthly' } as const,
      awsAccountId: deploymentAccountId(),
    },
  };
});

export const update = handle(organizations.update, async (call) => {
  const { organization, change } = updateSettings(call, call.body, call.now);
  return { data: { ...organization, settings: settingsOf(organization) }, change };
});

export const remove = handle(organizations.remove, async (call) => {
  const { data, change } = deleteOrganization(call, call.body, call.now);
  // A permanent deletion has only been started.
  return { data, change, status: data.deletionType === 'permanent' ? 202 : 200 };
});

export const leave = handle(organizations.leave, async (call) => ({
  message: 'You left the organization',
  change: await endMembership(call, call.actor.id, call.now),
}));

export const recover = handle(organizations.recover, async ({ user: { userId }, params: { id }, now }) => {
  const keys = [lookup.organization(id), lookup.member(id, userId)] as const;
  const [deleted, member] = isId('organization', id) ? await getAll(keys) : [];
  const { organization, change } = recoverOrganization(userId, deleted, member, now);
  return { data: organization, change };
});
