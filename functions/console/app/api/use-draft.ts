import { useCallback, useState } from 'react';
import { changesOf } from '../ui/form/changes-of.ts';
import { storedDraft, useDraftKey, useKeepAtSessionEnd, useTakenEdits } from './use-kept-edits.ts';

export interface DraftOptions<T> {
  /** Fields that may hold a secret. They are not kept. */
  readonly secrets?: readonly (keyof T & string)[];
  /** The id of the record that the form changes; undefined for a new one. */
  readonly recordId?: string | undefined;
}

/**
 * What was typed into a form, kept in this tab until it is sent: leaving for a consent or reloading loses nothing. Belongs to one
 * person and organization, if there is one yet. Of a record that is saved already, only changes are kept, and only if the session ends.
 */
export const useDraft = <T extends object>(
  form: string,
  initial: T,
  { secrets = [], recordId }: DraftOptions<T> = {},
): readonly [draft: T, change: (changes: Partial<T>) => void, forget: () => void] => {
  const key = useDraftKey(recordId === undefined ? form : undefined);
  const editsKey = useDraftKey(recordId === undefined ? undefined : `${form}.${recordId}`);
  const kept = useTakenEdits<T>(editsKey);
  const [opened] = useState(initial);
  const [draft, setDraft] = useState<T>(() => ({ ...initial, ...kept, ...storedDraft<T>(key) }));
  const withoutSecrets = (fields: Partial<T>): Partial<T> =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !secrets.some((secret) => secret === field))) as Partial<T>;
  useKeepAtSessionEnd(editsKey, withoutSecrets(changesOf(opened, draft)));
  const change = (changes: Partial<T>): void =>
    setDraft((before) => {
      const after = { ...before, ...changes };
      if (key) sessionStorage.setItem(key, JSON.stringify(withoutSecrets(after)));
      return after;
    });
  const forget = useCallback(() => void (key && sessionStorage.removeItem(key)), [key]);
  return [draft, change, forget];
};
