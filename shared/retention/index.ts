export { applyRetention } from './apply-retention.ts';
export { decideExpiry, type Rules } from './decide-expiry.ts';
export { dueOrganizations } from './due-organizations.ts';
export { toCandidate } from './retention-candidate.ts';
