import type { Clock } from '../clock.ts';
import type { Item } from './change.ts';
import { query } from './read-table.ts';
import { removeAll } from './remove-all.ts';

const pageItems = 100;

interface PartitionDeletion {
  /** Only items whose sort key begins with this. */
  readonly prefix?: string;
  /** Stops here; checked before every page. */
  readonly deadline?: { readonly at: Date; readonly clock: Clock };
  /** Called for each item before it is deleted, such as to delete the objects it names. */
  readonly beforeDelete?: (item: Item) => Promise<void>;
}

/** Deletes the items of a partition, page by page, outside a transaction. False if the deadline passed first; idempotent. */
export const deletePartition = async (
  pk: string,
  { prefix = '', deadline, beforeDelete }: PartitionDeletion = {},
): Promise<boolean> => {
  // Every sort key begins with a letter or a digit, and a key condition on an empty string is not allowed.
  const range = { pk, prefix, from: prefix || '0', limit: pageItems };
  const isOver = (): boolean => deadline !== undefined && deadline.clock.now() >= deadline.at;
  for (;;) {
    if (isOver()) return false;
    const { items, next } = await query(range);
    for (const item of beforeDelete ? items : []) {
      if (isOver()) return false;
      await beforeDelete?.(item);
      await removeAll([item]);
    }
    if (!beforeDelete) await removeAll(items);
    // A concurrent writer may add items while objects are deleted, so the partition is read again until it is empty.
    if (beforeDelete ? items.length === 0 : next === undefined) return true;
  }
};
