import { useState } from 'react';

/**
 * The fields of a form whose record others may change meanwhile. A field that the person has not touched follows the record, and only
 * the others are saved.
 */
export const useEdits = <F extends object>(saved: F) => {
  const [edits, setEdits] = useState<Partial<F>>({});
  const changes = changesOf(saved, edits);
  return {
    fields: { ...saved, ...edits } as F,
    changes,
    isSame: Object.keys(changes).length === 0,
    edit: (change: Partial<F>): void => setEdits((before) => ({ ...before, ...change })),
    /** After they were saved. */
    clear: (): void => setEdits({}),
  };
};

/** The members of `after` that differ. */
export const changesOf = <T extends object>(before: T, after: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T])),
  ) as Partial<T>;
