import { accountKey } from '../../shared/account/index.ts';
import { alertKey, defaultAlert } from '../../shared/alert/index.ts';
import { countRunningBackups } from '../../shared/backup/index.ts';
import { organizations } from '../../shared/contract/endpoints/organizations.ts';
import { unauthorized } from '../../shared/contract/errors.ts';
import { isId } from '../../shared/contract/ids.ts';
import type { OrganizationLimit, Plan } from '../../shared/contract/limits.ts';
import { countRunningExports } from '../../shared/export/index.ts';
import { handle } from '../../shared/http/index.ts';
import {
  createOrganization,
  isRecoverable,
  listOrganizations,
  lookup,
  type OrganizationRecord,
  organizationKey,
  preferredSlug,
  settingsOf,
  updateSettings,
} from '../../shared/organization/index.ts';
import {
  assertNameConfirmed,
  deleteOrganization,
  recoverOrganization,
  stopJobs,
} from '../../shared/organization-deletion/index.ts';
import { deploymentAccountId, env, get, getAll, organizationLimit, type Tenant } from '../../shared/platform/index.ts';
import { endMembership } from '../../shared/project/index.ts';
import { countRunningRestores, extendUndo } from '../../shared/restore/index.ts';
import { countRunningVerifications } from '../../shared/stored-backup/index.ts';

export const create = handle(organizations.create, async ({ user, body: { name, slug }, now }) => {
  const [owner, taken] = await getAll([accountKey.user(user.userId), lookup.slug(preferredSlug({ name, slug }))]);
  if (!owner) throw unauthorized('The user no longer exists. Sign in again');
  const { tenant, organization, change } = createOrganization(owner, { input: { name, slug }, isTaken: Boolean(taken), now });
  const { writes } = defaultAlert(tenant, organization);
  return { data: organization, change: { ...change, writes: [...change.writes, ...writes] } };
});

export const list = handle(organizations.list, async ({ user, page, query, now }) => {
  const { items, next } = await listOrganizations(user.userId, page, query.status === 'deleted' ? isRecoverable(now) : undefined);
  return { items: items.map(({ organization, role }) => ({ ...organization, role })), next };
});

export const current = handle(organizations.current, async ({ tenant, organization, now }) => {
  const { ownerId, memberCount, projectCount, backupCount, storageUsed } = organization;
  const [[owner, account], limits] = await Promise.all([
    getAll([accountKey.user(ownerId), organizationKey.serviceAccount(tenant)]),
    readLimits(tenant, organization, now),
  ]);
  return {
    data: {
      ...organization,
      owner: { id: ownerId, email: owner?.email ?? '', name: owner?.name ?? '' },
      settings: settingsOf(organization),
      statistics: { memberCount, projectCount, backupCount, storageUsed },
      limits,
      subscription: { plan: env('PLAN') as Plan, status: 'active', billingCycle: 'monthly' } as const,
      awsAccountId: deploymentAccountId(),
      hasServiceAccount: account !== undefined,
    },
  };
});

const readLimits = async (tenant: Tenant, organization: OrganizationRecord, now: Date) => {
  const [alerting, backups, restores, exports, verifications] = await Promise.all([
    get(alertKey.alerting(tenant)),
    countRunningBackups(tenant),
    countRunningRestores(tenant),
    countRunningExports(tenant),
    countRunningVerifications(tenant, now),
  ]);
  const of = (name: OrganizationLimit, used = 0) => ({ limit: organizationLimit(name), used });
  return {
    schedules: of('schedules', organization.scheduleCount),
    webhooks: of('webhooks', organization.webhookCount),
    // An organization without the marker gets its default alert soon.
    alerts: of('alerts', alerting?.alertCount),
    restoreTests: of('restoreTests', organization.restoreTestCount),
    concurrentBackups: of('concurrentBackups', backups),
    concurrentRestores: of('concurrentRestores', restores),
    concurrentExports: of('concurrentExports', exports),
    concurrentVerifications: of('concurrentVerifications', verifications),
  };
};

export const update = handle(organizations.update, async (call) => {
  const { organization, change } = updateSettings(call, call.body, call.now);
  return { data: { ...organization, settings: settingsOf(organization) }, change };
});

export const remove = handle(organizations.remove, async (call) => {
  const { cancelJobs = false, ...input } = call.body;
  const { tenant, now, origin } = call;
  assertNameConfirmed(call.organization, input.confirmName);
  const { organization, cancelled } = await stopJobs(call, { cancelJobs, origin, since: now });
  const { data, change } = deleteOrganization({ ...call, organization }, input, now);
  const undo = data.recoveryDeadline === null ? [] : await extendUndo(tenant, data.recoveryDeadline, now);
  // A permanent deletion has only been started.
  return {
    data: { ...data, ...(cancelJobs && { cancelledJobs: [...cancelled] }) },
    change: { ...change, writes: [...change.writes, ...undo] },
    status: data.deletionType === 'permanent' ? 202 : 200,
  };
});

export const leave = handle(organizations.leave, async (call) => ({
  message: 'You left the organization',
  change: await endMembership(call, call.actor.id, call.now),
}));

export const recover = handle(organizations.recover, async ({ user: { userId }, params: { id }, now }) => {
  const keys = [lookup.organization(id), lookup.member(id, userId)] as const;
  const [deleted, member] = isId('organization', id) ? await getAll(keys) : [];
  const { organization, change } = recoverOrganization(userId, { organization: deleted, member, now });
  return { data: organization, change };
});
