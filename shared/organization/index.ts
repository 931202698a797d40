export { acceptInvitation, findInvitation, statusOf } from './acceptance.ts';
export { type Acting, named } from './acting.ts';
export { accountOf, isKeyOf, looksLikeApiKey, newApiKey } from './api-key.ts';
export { type Belonging, belongingsOf, organizationIdsOf } from './belonging.ts';
export { createOrganization, wantedSlug } from './creation.ts';
export { deleteOrganization, recoverOrganization } from './deletion.ts';
export { type Entry as OrganizationEntry, enterOrganization } from './entry.ts';
export { cancelInvitation, invite, resendInvitation } from './invitation.ts';
export { deliverInvitation } from './invitation-delivery.ts';
export { listOpenInvitations } from './invitation-list.ts';
export { acceptUrl } from './invitation-token.ts';
export { listMembers, readMember } from './member-list.ts';
export { changeRole, removeMember } from './membership.ts';
export { listOrganizations } from './organization-list.ts';
export { duePurges, purgeOrganization } from './purge.ts';
export {
  type AddressRecord,
  type ApiKeyRecord,
  type InvitationRecord,
  lookup,
  type MemberRecord,
  type OrganizationRecord,
  organizationKey,
} from './record.ts';
export { createServiceAccount, readServiceAccount, removeServiceAccount } from './service-account.ts';
export { changeSettings, settingsOf } from './settings.ts';
export { countProjects, noSuchOrganization, whileActive } from './standing.ts';
