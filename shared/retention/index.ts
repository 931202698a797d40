export { applyRetention } from './apply-retention.ts';
export { type Decision, decide, type Rules, type Verdict } from './decide-expiry.ts';
export { dueRetentions } from './due-organizations.ts';
export { type RetentionCandidate, toCandidate } from './retention-candidate.ts';
export type { ScheduleRule } from './retention-policy.ts';
