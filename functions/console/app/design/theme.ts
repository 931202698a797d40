import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'console.theme';
const listeners = new Set<() => void>();

export const readTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';

export const applyTheme = (): void => {
  const theme = readTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};

export const setTheme = (theme: Theme): void => {
  localStorage.setItem(key, theme);
  applyTheme();
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
