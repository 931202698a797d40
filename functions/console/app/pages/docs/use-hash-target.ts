import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

/** The address that was shown last; undefined before the first page. */
let shown: string | undefined;

/**
 * Scrolls to the element that the address names, and moves the focus with it; without one the focus follows to the new page. For
 * the component that draws the content, because the element must exist.
 */
export const useHashTarget = (): void => {
  const { pathname, hash } = useLocation();
  useEffect(() => {
    const address = `${pathname}#${hash}`;
    const isFirst = shown === undefined;
    const target = hash === '' ? null : document.getElementById(hash);
    // The page before this one sees the new address, too, and does not have its element.
    if (shown === address || (hash !== '' && !target)) return;
    shown = address;
    if (target) target.scrollIntoView();
    else if (hash === '' && !isFirst) window.scrollTo(0, 0);
    if (target || !isFirst) focusSoon(target ?? document.getElementById('main'));
  }, [pathname, hash]);
};

/** After a dialog that closes has given the focus back. Keyboards and screen readers continue there. */
const focusSoon = (element: HTMLElement | null): void => {
  if (element && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  setTimeout(() => element?.focus({ preventScroll: true }), 50);
};
