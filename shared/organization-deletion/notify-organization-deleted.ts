import { accountKey } from '../account/index.ts';
import { apiPrefix } from '../contract/endpoint.ts';
import { type OrganizationRecord, organizationKey } from '../organization/index.ts';
import { composeLetter, env, get, type Letter, log, sendMail, type Tenant, utcMinute } from '../platform/index.ts';

/** E-mails the owner until when a soft-deleted organization can be recovered. Sends nothing if it was recovered meanwhile. */
export const notifyOrganizationDeleted = async (tenant: Tenant): Promise<void> => {
  const organization = await get(organizationKey.organization(tenant));
  if (!organization?.deletedAt || !organization.recoveryDeadline) {
    log.info('deletion e-mail not sent: the organization is not soft-deleted', { organizationId: tenant.organizationId });
    return;
  }
  const owner = await get(accountKey.user(organization.ownerId));
  if (!owner) throw new Error(`the owner of ${organization.id} has no profile`);
  await sendMail(owner.email, deletedEmail(organization, organization.deletedAt, organization.recoveryDeadline));
};

const deletedEmail = ({ id, name }: OrganizationRecord, deletedAt: string, recoveryDeadline: string): Letter =>
  composeLetter(`Organization deleted: ${name}`, [
    ['The organization ', { name }, ` was deleted on ${utcMinute(deletedAt)}.`],
    'Its schedules are stopped, and all calls in it are refused.',
    `You can recover it until ${utcMinute(recoveryDeadline)}: POST ${env('PUBLIC_URL')}${apiPrefix}/organizations/${id}/recover. After that it is deleted permanently.`,
    'If you did not delete it, recover it and review its members and its audit log.',
  ]);
