export { applyRetention } from './apply-retention.ts';
export { type Decision, decideExpiry, type Expiry, type Rules } from './decide-expiry.ts';
export { dueOrganizations } from './due-organizations.ts';
export { type RetentionCandidate, toCandidate } from './retention-candidate.ts';
export type { ScheduleRule } from './retention-policy.ts';
