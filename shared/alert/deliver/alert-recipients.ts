import { accountKey } from '../../account/index.ts';
import { comparableEmail } from '../../contract/comparable-email.ts';
import { type MemberRecord, type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { getAll, type Tenant, walk } from '../../platform/index.ts';
import type { AlertRecord } from '../model/record.ts';

export interface AlertRecipient {
  readonly email: string;
  readonly isMember: boolean;
  readonly isOwner: boolean;
}

/** The addresses of an e-mail alert now: members as the identity provider last described them. */
export const alertRecipients = async (
  tenant: Tenant,
  { recipients = 'owners' }: Pick<AlertRecord, 'recipients'>,
  { ownerId }: Pick<OrganizationRecord, 'ownerId'>,
): Promise<readonly AlertRecipient[]> => {
  // The owner's own item is read without a walk over all members.
  const members = recipients === 'owners' ? [{ userId: ownerId, role: 'owner' as const }] : await membersOf(tenant);
  const profiles = await getAll(members.map(({ userId }) => accountKey.user(userId)));
  const known = members.flatMap(({ userId, role }, n) => {
    const email = profiles[n]?.email;
    return email === undefined ? [] : [{ email, role, isOwner: userId === ownerId }];
  });
  if (typeof recipients === 'string')
    return known
      .filter(({ role }) => role === 'owner' || (recipients === 'admins' && role === 'admin'))
      .map(({ email, isOwner }) => ({ email, isMember: true, isOwner }));
  const same = (one: string, other: string): boolean => (comparableEmail(one) ?? one) === (comparableEmail(other) ?? other);
  return recipients.map((email) => {
    const member = known.find((one) => same(one.email, email));
    return { email, isMember: member !== undefined, isOwner: member?.isOwner ?? false };
  });
};

const membersOf = (tenant: Tenant): Promise<readonly Pick<MemberRecord, 'userId' | 'role'>[]> =>
  Array.fromAsync(walk<MemberRecord>({ pk: organizationKey.organization(tenant).pk, prefix: 'MEMBER#' }));
