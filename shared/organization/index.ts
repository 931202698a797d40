export {
  apiKeyData,
  apiKeysOf,
  auditExpiredUses,
  createApiKey,
  expiryWarningOf,
  grantorOf,
  keysGrantedBy,
  listApiKeys,
  readApiKey,
  readKeyNotes,
  removeApiKey,
  rotateApiKey,
  updateApiKey,
} from './api-key/api-key.ts';
export { holderOf, isKeyTokenOf, looksLikeKeyToken, newKeyToken } from './api-key/key-token.ts';
export { createOrganization, preferredSlug } from './create-organization.ts';
export { enterOrganization, type OrganizationEntry } from './enter-organization.ts';
export { acceptInvitation, declineInvitation, findInvitation, invitationStatus } from './invitation/accept-invitation.ts';
export { acceptUrl } from './invitation/invitation-token.ts';
export { cancelInvitation, invite, resendInvitation } from './invitation/invite.ts';
export { listInvitations } from './invitation/list-invitations.ts';
export { listReceivedInvitations } from './invitation/list-received-invitations.ts';
export { isWithinAlertLimit } from './invitation/recipient-limit.ts';
export { sendInvitation } from './invitation/send-invitation.ts';
export { isRecoverable, listOrganizations, membershipsOf, organizationIdsOf } from './list-organizations.ts';
export { listMembers, readMember } from './member/list-members.ts';
export { toMemberEvent } from './member/member-profile.ts';
export { changeRole, removeMember } from './member/membership.ts';
export { type CallerContext, organizationRef } from './model/caller-context.ts';
export {
  claimJobStart,
  countJobStart,
  countLimit,
  countOf,
  destinationCheck,
  noSuchOrganization,
  roleRequired,
  whileActive,
  whileMember,
} from './model/organization-guards.ts';
export {
  type AddressRecord,
  type ApiKeyRecord,
  apiKeyPrefix,
  type FingerprintRecord,
  type InvitationRecord,
  invitationPrefix,
  lookup,
  type MemberRecord,
  type OrganizationRecord,
  organizationKey,
  type PurgeDueRecord,
  purgeDuePartition,
} from './model/record.ts';
export { endKeysOf, readServiceAccountKey } from './service-account/end-keys-of.ts';
export { rotateAccountKey, takeOverServiceAccount } from './service-account/rotate-account-key.ts';
export {
  createServiceAccount,
  readServiceAccount,
  readServiceAccountUse,
  removeServiceAccount,
  serviceAccountData,
  updateServiceAccount,
} from './service-account/service-account.ts';
export { accessTokenFor, readSignedInUser, type SignedInUser } from './signed-in-user.ts';
export { settingsOf, updateSettings } from './update-settings.ts';
