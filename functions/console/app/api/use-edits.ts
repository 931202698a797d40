import { useState } from 'react';
import { changesOf } from '../ui/form/changes-of.ts';
import { useDraftKey, useKeepAtSessionEnd, useTakenEdits } from './use-kept-edits.ts';

/**
 * The fields of a form whose record others may change meanwhile. A field that the person has not touched follows the record, and only
 * the others are saved. `form` names what is kept if the session ends before, `begun` what is filled in to begin with.
 */
export const useEdits = <F extends object>(form: string, saved: F, begun: Partial<F> = {}) => {
  const key = useDraftKey(form);
  const kept = useTakenEdits<F>(key);
  const [edits, setEdits] = useState<Partial<F>>({ ...begun, ...kept });
  const changes = changesOf(saved, edits);
  useKeepAtSessionEnd(key, changes);
  return {
    fields: { ...saved, ...edits } as F,
    changes,
    isSame: Object.keys(changes).length === 0,
    edit: (change: Partial<F>): void => setEdits((before) => ({ ...before, ...change })),
    /** After they were saved. What was typed meanwhile stays; all other fields follow the record again. */
    clear: (sent: Partial<F>): void => setEdits((before) => changesOf({ ...saved, ...sent }, before)),
  };
};
