/** Batches form a row: each names the one before it, and the record the last. So one that is lost is found missing, never passed over. */
import { microsOf, shownMoment } from '../model/micro-time.ts';
import type { BatchRecord } from '../model/record.ts';

/** As its key ends: up to when it tells, and its id. */
export const nameOf = ({ to, id }: Pick<BatchRecord, 'to' | 'id'>): string => `${to}#${id}`;

export interface BatchChain {
  /** Those that end after the beginning and begin before the moment, in the order of time. */
  readonly batches: readonly Pick<BatchRecord, 'id' | 'to' | 'previous'>[];
  /** What the one after them names as the one before it or, where there is none, the record as the last. */
  readonly lastName: string | null;
  /** In microseconds: what ends by then is not needed. */
  readonly begin: number;
  /** In microseconds: what follows a batch that reaches so far is not needed. */
  readonly moment: number;
}

/** The name of a batch that is needed and is not there. */
export const findMissingBatch = ({ batches, lastName, begin, moment }: BatchChain): string | undefined => {
  const last = batches.at(-1);
  const isReached = last !== undefined && microsOf(last.to) >= moment;
  const links = [...batches.map(({ previous }) => previous), ...(isReached ? [] : [lastName])];
  return (
    links.find((name, n): name is string => {
      const before = batches[n - 1];
      if (name === null) return false;
      return before ? name !== nameOf(before) : microsOf(endOf(name)) > begin;
    }) ?? undefined
  );
};

export const missingMessage = (name: string): string =>
  `A batch of changes is missing that was captured up to ${shownMoment(microsOf(endOf(name)))} (${name.split('#')[1]}); a moment before it may be restored`;

const endOf = (name: string): string => name.split('#')[0] ?? '';
