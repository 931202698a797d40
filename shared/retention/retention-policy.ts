import type { OwnRule } from './retention-candidate.ts';

/** What retention needs to know of a schedule. */
export interface ScheduleRule {
  /** Undefined if the schedule now keeps by days, or forever. */
  readonly policy: OwnRule['policy'] | undefined;
  readonly timezone: string;
  readonly revision: number;
}
