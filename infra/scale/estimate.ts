/** The cost of a job: time, and dollars by service. */
import { price } from './price.ts';

interface Counts {
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

/** Throughput of a database: the fastest and the slowest reported, or more than a core can process. */
export type Pace = 'core' | 'fast' | 'slow';

export const gigabytes = (megabytes: number): number => megabytes / 1_024;
