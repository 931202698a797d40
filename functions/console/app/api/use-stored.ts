import { useSyncExternalStore } from 'react';

export const subscribeToStorage = (listener: () => void): (() => void) => {
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
};

/** A value of localStorage; follows changes of other tabs. */
export const useStored = (key: string): string | undefined =>
  useSyncExternalStore(subscribeToStorage, () => localStorage.getItem(key)) ?? undefined;
