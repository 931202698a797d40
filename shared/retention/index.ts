export { applyRetention } from './apply-retention.ts';
export { type Decision, decide, type Rules, type Verdict } from './decide-expiry.ts';
export { type DueRetention, dueRetentions } from './due-organizations.ts';
export { type Seen, seenOf } from './retention-candidate.ts';
export type { Judge } from './retention-policy.ts';
