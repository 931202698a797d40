/** Batches form a linked list: each names its predecessor, the record names the last. A lost batch is detected instead of skipped. */
import { microsOf, shownMoment } from '../model/micro-time.ts';
import type { BatchRecord } from '../model/record.ts';

/** The end of its sort key. */
export const batchNameOf = ({ to, id }: Pick<BatchRecord, 'to' | 'id'>): string => `${to}#${id}`;

interface BatchChain {
  /** The batches found that end after `begin` and begin before `moment`, by time. */
  readonly batches: readonly Pick<BatchRecord, 'id' | 'to' | 'previous'>[];
  /** The predecessor named by the next batch or, if there is none, the last batch named by the record. */
  readonly lastName: string | null;
  /** In microseconds. Batches that end up to here are not needed. */
  readonly begin: number;
  /** In microseconds. Batches after one that reaches this moment are not needed. */
  readonly moment: number;
}

/** The name of a needed batch that was not found. */
export const findMissingBatch = ({ batches, lastName, begin, moment }: BatchChain): string | undefined => {
  const last = batches.at(-1);
  const isReached = last !== undefined && microsOf(last.to) >= moment;
  const links = [...batches.map(({ previous }) => previous), ...(isReached ? [] : [lastName])];
  return (
    links.find((name, n): name is string => {
      const before = batches[n - 1];
      if (name === null) return false;
      return before ? name !== batchNameOf(before) : microsOf(endOf(name)) > begin;
    }) ?? undefined
  );
};

export const missingMessage = (name: string): string =>
  `The batch of changes captured up to ${shownMoment(microsOf(endOf(name)))} (${name.split('#')[1]}) is missing; restore an earlier moment instead`;

const endOf = (name: string): string => name.split('#')[0] ?? '';
