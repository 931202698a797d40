import { useCallback, useState } from 'react';
import { useMembership, useSession } from './session.ts';
import { draftPrefix } from './stored-choices.ts';

/**
 * What was typed into a form, kept in this tab until it is sent: leaving for a consent or reloading loses nothing. Belongs to one
 * person and organization. Secrets must not be part of it.
 * Without a name nothing is kept: what is saved already may have changed meanwhile.
 */
export const useDraft = <T extends object>(
  form: string | undefined,
  initial: T,
): readonly [draft: T, change: (changes: Partial<T>) => void, forget: () => void] => {
  const { id: userId } = useSession();
  const { id: organizationId } = useMembership();
  const key = form && `${draftPrefix}${userId}.${organizationId}.${form}`;
  const [draft, setDraft] = useState<T>(() => ({ ...initial, ...(key && stored<T>(key)) }));
  const change = useCallback(
    (changes: Partial<T>) =>
      setDraft((before) => {
        const after = { ...before, ...changes };
        if (key) sessionStorage.setItem(key, JSON.stringify(after));
        return after;
      }),
    [key],
  );
  const forget = useCallback(() => void (key && sessionStorage.removeItem(key)), [key]);
  return [draft, change, forget];
};

const stored = <T extends object>(key: string): Partial<T> => {
  const text = sessionStorage.getItem(key);
  return text === null ? {} : (JSON.parse(text) as Partial<T>);
};
