export { accountOf, isKeyOf, looksLikeApiKey, newApiKey } from './api-key.ts';
export { createOrganization, preferredSlug } from './create-organization.ts';
export { deleteOrganization, recoverOrganization } from './delete-organization.ts';
export { enterOrganization, type OrganizationEntry } from './enter-organization.ts';
export { acceptInvitation, findInvitation, statusOf } from './invitation/accept-invitation.ts';
export { acceptUrl } from './invitation/invitation-token.ts';
export { cancelInvitation, invite, resendInvitation } from './invitation/invite.ts';
export { listInvitations } from './invitation/list-invitations.ts';
export { sendInvitation } from './invitation/send-invitation.ts';
export { listOrganizations, membershipsOf, organizationIdsOf } from './list-organizations.ts';
export { listMembers, readMember } from './member/list-members.ts';
export { toMemberEvent } from './member/member-profile.ts';
export { changeRole, removeMember } from './member/membership.ts';
export { type CallerContext, organizationRef } from './model/caller-context.ts';
export { countOf, destinationCheck, noSuchOrganization, roleRequired, whileActive } from './model/organization-guards.ts';
export {
  type AddressRecord,
  type ApiKeyRecord,
  type InvitationRecord,
  lookup,
  type MemberRecord,
  type OrganizationRecord,
  organizationKey,
} from './model/record.ts';
export { duePurges, purgeOrganization } from './purge-organization.ts';
export { createServiceAccount, readServiceAccount, removeServiceAccount } from './service-account.ts';
export { settingsOf, updateSettings } from './update-settings.ts';
