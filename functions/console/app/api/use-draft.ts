import { useCallback, useState } from 'react';
import { currentMembership, useSession } from './session.ts';
import { draftPrefix } from './stored-choices.ts';

/**
 * What was typed into a form, kept in this tab until it is sent: leaving for a consent or reloading loses nothing. Belongs to one
 * person and organization, if there is one yet. Fields that may hold a secret are not kept.
 * Without a name nothing is kept: what is saved already may have changed meanwhile.
 */
export const useDraft = <T extends object>(
  form: string | undefined,
  initial: T,
  secrets: readonly (keyof T & string)[] = [],
): readonly [draft: T, change: (changes: Partial<T>) => void, forget: () => void] => {
  const session = useSession();
  // Stays the same while the form is shown, also when it creates the organization that becomes the current one.
  const [key] = useState(() => form && `${draftPrefix}${session.id}.${currentMembership(session)?.id ?? ''}.${form}`);
  const [draft, setDraft] = useState<T>(() => ({ ...initial, ...(key && stored<T>(key)) }));
  const change = (changes: Partial<T>): void =>
    setDraft((before) => {
      const after = { ...before, ...changes };
      const kept = Object.entries(after).filter(([field]) => !secrets.some((secret) => secret === field));
      if (key) sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
      return after;
    });
  const forget = useCallback(() => void (key && sessionStorage.removeItem(key)), [key]);
  return [draft, change, forget];
};

const stored = <T extends object>(key: string): Partial<T> => {
  const text = sessionStorage.getItem(key);
  return text === null ? {} : (JSON.parse(text) as Partial<T>);
};
