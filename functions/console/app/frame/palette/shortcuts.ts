import { paths } from '../../paths.ts';
import { menuSections } from '../menu/menu-sections.ts';

export interface Shortcut {
  /** Pressed one after the other. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly to: string;
}

/** The form of a new backup, in the project whose page is open. */
export const backUpPath = (projectId: string | undefined): string => `${paths.backups}?start=${projectId ?? 'new'}`;

const actions: readonly Shortcut[] = [
  { keys: ['c'], label: 'Back up now', to: backUpPath(undefined) },
  { keys: ['r'], label: 'Restore', to: paths.restoreWizard() },
  { keys: ['f'], label: 'Find a document', to: paths.findDocument() },
];

const pages: readonly Shortcut[] = menuSections.flatMap(([, entries]) =>
  entries.flatMap(({ key, label, to }) => (key === undefined ? [] : [{ keys: ['g', key], label, to }])),
);

export const shortcuts = { actions, pages };

const all = [...actions, ...pages];

/** What a key leads to, after the key that was pressed before it; `wait` if it only begins a shortcut. */
export const shortcutOf = (previous: string | undefined, key: string): Shortcut | 'wait' | undefined => {
  const pressed = previous === undefined ? [key] : [previous, key];
  const found = all.find(({ keys }) => keys.join(' ') === pressed.join(' '));
  if (found) return found;
  return all.some(({ keys }) => keys.length > pressed.length && keys[0] === key) && previous === undefined ? 'wait' : undefined;
};

const offKey = 'console.shortcuts';

/** Single keys can be turned off: who dictates or tabs with a switch presses some without meaning to (WCAG 2.1.4). */
export const hasSingleKeys = (): boolean => localStorage.getItem(offKey) !== 'off';
export const setSingleKeys = (isOn: boolean): void => {
  if (isOn) localStorage.removeItem(offKey);
  else localStorage.setItem(offKey, 'off');
};
