export { accountOf, isKeyOf, looksLikeApiKey, newApiKey } from './api-key.ts';
export { type Belonging, belongingsOf, organizationIdsOf } from './belonging.ts';
export { type ApiKeyRecord, lookup, type MemberRecord, type OrganizationRecord, organizationKey } from './record.ts';
