/** What a job takes: time, and dollars by who is paid for what. */
import { price } from './price.ts';

export interface Counts {
  /** Of functions, multiplied by the memory they have. */
  readonly gigabyteSeconds: number;
  readonly invocations: number;
  readonly transitions: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly puts: number;
  readonly gets: number;
  readonly keyCalls: number;
  readonly messages?: number;
}

export interface Estimate {
  readonly seconds: number;
  readonly counts: Counts;
  /** What the database bills. */
  readonly sourceDollars: number;
}

export const awsDollars = ({ counts }: Pick<Estimate, 'counts'>): number =>
  counts.gigabyteSeconds * price.gigabyteSecond +
  counts.invocations * price.invocation +
  counts.transitions * price.transition +
  counts.writeUnits * price.writeUnit +
  counts.readUnits * price.readUnit +
  counts.puts * price.put +
  counts.gets * price.get +
  counts.keyCalls * price.kms +
  (counts.messages ?? 0) * price.message;

/** How fast a database sends: as was reported of the fastest and the slowest; or faster than a core can take it. */
export type Pace = 'core' | 'fast' | 'slow';

export const gigabytes = (megabytes: number): number => megabytes / 1_024;
