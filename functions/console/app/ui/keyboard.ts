/** Whether a key belongs to the element that has the focus: a field, a menu with type-ahead, or a dialog with keys of its own. */
export const takesKeys = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable="true"], [role="menu"], [role="dialog"]') !== null;

type Modifiers = Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>;

export const hasModifier = ({ ctrlKey, metaKey, altKey }: Modifiers): boolean => ctrlKey || metaKey || altKey;

/** Ctrl K, or ⌘ K on a Mac: opens the search, also from inside a field. */
export const isSearchKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: Modifiers & Pick<KeyboardEvent, 'key' | 'shiftKey'>) =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey;

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** The key of `isSearchKey`, as this computer's keyboard calls it. */
export const searchKeys = (): readonly string[] => (isMac() ? ['⌘', 'K'] : ['Ctrl', 'K']);
