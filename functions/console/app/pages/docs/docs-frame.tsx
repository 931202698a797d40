import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { documentQuery } from '../../data/api-reference.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { hasModifier, isSearchKey, takesKeys } from '../../ui/keyboard.ts';
import { DocsHeader } from './docs-header.tsx';
import { DocsNavigation } from './docs-navigation.tsx';
import { readReference } from './model/read-reference.ts';
import { ReferenceContext } from './parts/reference-context.ts';
import { SearchDialog } from './search/search-dialog.tsx';

/** Around every page of the API docs. They are public: a session only adds the reader's own organization. */
export const DocsFrame = () => {
  const { data: document_, error, refetch } = useQuery(documentQuery);
  const reference = useMemo(() => document_ && readReference(document_), [document_]);
  const [isOpen, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const { pathname } = useLocation();
  const menu = useRef<HTMLElement>(null);
  useShortcuts(
    () => setSearching(true),
    () => setOpen(false),
  );
  useEffect(() => {
    if (isOpen) menu.current?.querySelector<HTMLElement>('.docs-menu__close button')?.focus();
  }, [isOpen]);
  return (
    <div className="docs">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <DocsHeader isOpen={isOpen} onOpenMenu={() => setOpen(true)} onSearch={() => setSearching(true)} />
      {isOpen && <button type="button" className="frame__backdrop" aria-label="Close the menu" onClick={() => setOpen(false)} />}
      <aside id="docs-menu" ref={menu} className={isOpen ? 'docs-menu docs-menu--open' : 'docs-menu'}>
        <div className="docs-menu__close">
          <Button icon="close" variant="quiet" aria-label="Close the menu" onClick={() => setOpen(false)} />
        </div>
        <DocsNavigation areas={reference?.areas ?? []} onNavigate={() => setOpen(false)} />
      </aside>
      {/* The key makes every page begin at its top. */}
      <main id="main" className="docs-main" tabIndex={-1} key={pathname}>
        {reference ? (
          <ReferenceContext value={reference}>
            <Outlet />
            <SearchDialog open={isSearching} onClose={() => setSearching(false)} />
          </ReferenceContext>
        ) : error ? (
          <ErrorNotice error={error} title="The API description could not be loaded" onRetry={() => void refetch()} />
        ) : (
          <SkeletonText lines={5} />
        )}
      </main>
    </div>
  );
};

/** `/` and Ctrl+K open the search, Escape closes the menu. */
const useShortcuts = (onSearch: () => void, onEscape: () => void): void => {
  const handlers = useRef({ onSearch, onEscape });
  handlers.current = { onSearch, onEscape };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isSlash = event.key === '/' && !takesKeys(event.target) && !hasModifier(event);
      if (isSlash || isSearchKey(event)) {
        event.preventDefault();
        handlers.current.onSearch();
      } else if (event.key === 'Escape') handlers.current.onEscape();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
};
