/** What the writers of a restore share. */
import type { RateState } from '../../firestore/index.ts';
import type { Item } from '../../platform/index.ts';

/** Lease of a writer run: the target stays locked until it is released or expires. */
export interface WriterRecord extends Item {
  /** A crashed function cannot write after this time. */
  readonly until: string;
}

/** The rate limit that all writers of a restore share. */
export interface RateRecord extends Item {
  readonly version: number;
  readonly state: RateState;
  readonly ttl: number;
}
