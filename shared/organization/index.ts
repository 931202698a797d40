export { accountOf, isKeyOf, looksLikeApiKey, newApiKey } from './api-key.ts';
export { type ApiKeyRecord, lookup, type MemberRecord, type OrganizationRecord, organizationKey } from './record.ts';
