import { useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { useMembership } from '../../api/session.ts';
import { hasModifier, isSearchKey, takesKeys } from '../../ui/keyboard.ts';
import { rememberPage } from './recent-pages.ts';
import { backUpPath, hasSingleKeys, shortcutOf } from './shortcuts.ts';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(() => loadPalette().then(({ Palette: component }) => ({ default: component })));
const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then(({ ShortcutsDialog: component }) => ({ default: component })),
);

/** Loads the script of the palette, because it is likely to be opened. */
export const preloadPalette = (): void => void loadPalette().catch(() => undefined);

type Shown = 'palette' | 'shortcuts' | undefined;

/** How long the second key of a shortcut is waited for. */
const secondKeyMs = 1_500;

/** Keys that work on every page, and what they open. Scripts are loaded when they are needed. */
export const usePalette = (): { readonly open: () => void; readonly dialog: ReactNode } => {
  const [shown, setShown] = useState<Shown>();
  const { id: organizationId } = useMembership();
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (pathname !== undefined) rememberPage(organizationId, pathname);
  }, [organizationId, pathname]);
  // What is typed before the script of the palette has loaded.
  const [typed, setTyped] = useState('');
  const show = (next: Shown): void => {
    setTyped('');
    setShown(next);
  };
  const type = shown === 'palette' ? (key: string): void => setTyped((before) => before + key) : undefined;
  useKeys(pathname, { show, type });
  const close = (): void => setShown(undefined);
  return {
    open: () => show('palette'),
    dialog: (
      <Suspense>
        {shown === 'palette' && <Palette typed={typed} onClose={close} onShortcuts={() => show('shortcuts')} />}
        {shown === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    ),
  };
};

interface KeyActions {
  readonly show: (shown: Shown) => void;
  /** While the palette is opened. */
  readonly type: ((key: string) => void) | undefined;
}

const useKeys = (pathname: string | undefined, { show, type }: KeyActions): void => {
  const navigate = useNavigate();
  const projectId = /^\/projects\/(prj_[^/]+)/.exec(pathname ?? '')?.[1];
  const handle = useRef<(event: KeyboardEvent) => void>(undefined);
  const previous = useRef<{ readonly key: string; readonly at: number }>(undefined);
  handle.current = (event) => {
    // A dialog is answered first.
    if (event.defaultPrevented || document.querySelector('[role="dialog"]')) return;
    if (isSearchKey(event)) {
      event.preventDefault();
      show('palette');
      return;
    }
    if (type && event.key.length === 1 && !hasModifier(event)) {
      event.preventDefault();
      type(event.key);
      return;
    }
    if (event.isComposing || event.repeat || hasModifier(event) || takesKeys(event.target) || !hasSingleKeys()) return;
    const first = previous.current && event.timeStamp - previous.current.at < secondKeyMs ? previous.current.key : undefined;
    previous.current = undefined;
    const found = shortcutOf(first, event.key);
    if (found === 'wait') previous.current = { key: event.key, at: event.timeStamp };
    else if (found)
      void navigate({ to: projectId !== undefined && found.to === backUpPath(undefined) ? backUpPath(projectId) : found.to });
    else if (first !== undefined) return;
    else if (event.key === '?') show('shortcuts');
    else if (event.key === '/') focusSearch(() => show('palette'));
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => handle.current?.(event);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
};

/** The search of the page, else of everything. */
const focusSearch = (otherwise: () => void): void => {
  const field = document.querySelector<HTMLElement>(
    '#main :is(input[type="search"], search input[type="text"], search input:not([type]))',
  );
  if (field) field.focus();
  else otherwise();
};
