import { useEffect, useState } from 'react';
import { currentMembership, useSession } from './session.ts';
import { draftPrefix } from './stored-choices.ts';

const keepers = new Set<() => void>();

/** Called when the session ends, before the page is left. */
export const keepEdits = (): void => {
  for (const keep of keepers) keep();
};

/** Where this tab keeps a form of one person and organization, if there is one yet. */
export const useDraftKey = <F extends string | undefined>(form: F): F => {
  const session = useSession();
  // Stays the same while the form is shown, also when it creates the organization that becomes the current one.
  const [key] = useState(() => form && `${draftPrefix}${session.id}.${currentMembership(session)?.id ?? ''}.${form}`);
  return key as F;
};

export const storedDraft = <T extends object>(key: string | undefined): Partial<T> => {
  const text = key === undefined ? null : sessionStorage.getItem(key);
  return text === null ? {} : (JSON.parse(text) as Partial<T>);
};

/** The kept changes of a saved record, once. */
export const useTakenEdits = <T extends object>(key: string | undefined): Partial<T> => {
  const [kept] = useState(() => storedDraft<T>(key));
  useEffect(() => void (key && sessionStorage.removeItem(key)), [key]);
  return kept;
};

/**
 * Keeps changes of a saved record only if the session ends while they are typed. A form that was left in another way shows the saved
 * record when it is opened again.
 */
export const useKeepAtSessionEnd = (key: string | undefined, changes: object): void =>
  useEffect(() => {
    if (key === undefined || Object.keys(changes).length === 0) return undefined;
    const keep = (): void => {
      try {
        sessionStorage.setItem(key, JSON.stringify(changes));
      } catch {
        // The storage is full: the sign-in page must open anyway.
      }
    };
    keepers.add(keep);
    return () => void keepers.delete(keep);
  });
