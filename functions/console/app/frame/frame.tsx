import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { currentMembership, useMembership, useRememberedOrganization, useSession } from '../api/session.ts';
import { Button, IconButton } from '../ui/form/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { searchKeys } from '../ui/keyboard.ts';
import { Logo } from './logo.tsx';
import { Navigation } from './menu/navigation.tsx';
import { OrganizationSwitcher } from './menu/organization-switcher.tsx';
import { UserMenu } from './menu/user-menu.tsx';
import { preloadPalette, usePalette } from './palette/use-palette.tsx';
import { LaterInvitations } from './received-invitations.tsx';

/** Navigation, organization and person around every page of an organization. Who leaves or deletes the last one starts again. */
export const Frame = () =>
  currentMembership(useSession(), useRememberedOrganization()) ? <OrganizationFrame /> : <Navigate to="/start" />;

const OrganizationFrame = () => {
  const { id } = useMembership();
  const [isOpen, setOpen] = useState(false);
  const palette = usePalette();
  const main = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useFocusAfterNavigation(main, pathname);
  const sidebar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isOpen) return undefined;
    sidebar.current?.querySelector<HTMLElement>('.sidebar__close button')?.focus();
    // Back to the button that opened it, unless a link has led to another page.
    return () => {
      if (sidebar.current?.contains(document.activeElement))
        document.querySelector<HTMLElement>('.topbar [aria-controls="sidebar"]')?.focus();
    };
  }, [isOpen]);
  useEffect(() => {
    const close = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setOpen(false);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  return (
    <div className="frame">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="topbar">
        <IconButton icon="menu" label="Menu" aria-expanded={isOpen} aria-controls="sidebar" onClick={() => setOpen(true)} />
        <Link to="/" className="row row--single topbar__home">
          <Logo />
          Backups
        </Link>
        <div className="row row--single">
          <IconButton icon="search" label="Search" onClick={palette.open} />
          <UserMenu />
        </div>
      </header>
      {isOpen && <button type="button" className="frame__backdrop" aria-label="Close the menu" onClick={() => setOpen(false)} />}
      <aside id="sidebar" ref={sidebar} className={isOpen ? 'sidebar sidebar--open' : 'sidebar'}>
        <div className="sidebar__head">
          <Link to="/" className="row row--single topbar__home">
            <Logo />
            Backups
          </Link>
          <div className="sidebar__user">
            <UserMenu />
          </div>
          <div className="sidebar__close">
            <Button icon="close" variant="quiet" aria-label="Close the menu" onClick={() => setOpen(false)} />
          </div>
        </div>
        <OrganizationSwitcher />
        <button
          type="button"
          className="palette-button"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K"
          onPointerEnter={preloadPalette}
          onFocus={preloadPalette}
          onClick={palette.open}
        >
          <Icon name="search" />
          <span className="palette-button__label">Search</span>
          <span aria-hidden="true">
            <kbd>{searchKeys().join(' ')}</kbd>
          </span>
        </button>
        <Navigation onNavigate={() => setOpen(false)} />
      </aside>
      {/* The key makes pages of another organization start anew. */}
      <main id="main" className="frame__main" ref={main} tabIndex={-1} key={id}>
        <LaterInvitations />
        <Outlet />
      </main>
      {palette.dialog}
    </div>
  );
};

/** Screen readers and keyboards continue at the new page instead of the link that led to it. */
const useFocusAfterNavigation = (main: { readonly current: HTMLElement | null }, pathname: string): void => {
  const previous = useRef(pathname);
  useEffect(() => {
    if (previous.current === pathname) return;
    previous.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [main, pathname]);
};
