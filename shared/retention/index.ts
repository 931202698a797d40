export { applyRetention } from './applying.ts';
export { type Decision, decide, type Rules, type Verdict } from './decision.ts';
export { type DueRetention, dueRetentions } from './due.ts';
export type { Judge } from './policy.ts';
export { type Seen, seenOf } from './seen.ts';
