import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { paths } from '../../../paths.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { guideList } from '../guides/guide-list.ts';
import { buildIndex, type Entry } from '../model/build-index.ts';
import { searchIndex } from '../model/search-index.ts';
import { Method } from '../reference/method.tsx';
import { useReference } from '../reference-context.ts';

/** Search over everything in the docs. Arrow keys choose, Enter opens, Escape closes. */
export const SearchDialog = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => (
  <Dialog open={open} onClose={onClose} title="Search the docs" wide>
    {open && <Search onClose={onClose} />}
  </Dialog>
);

const Search = ({ onClose }: { readonly onClose: () => void }) => {
  const reference = useReference();
  const index = useMemo(() => buildIndex(reference, guideList), [reference]);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const results = useMemo(
    () => (query.trim() === '' ? index.filter(({ kind }) => kind === 'Guide') : searchIndex(index, query)),
    [index, query],
  );
  const navigate = useNavigate();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const open = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    void navigate({ to: paths.docsPage(entry.page), ...(entry.hash !== undefined && { hash: entry.hash }) });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open(results[active]);
    else if (event.key === 'ArrowDown') setActive(Math.min(results.length - 1, active + 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(0, active - 1));
    else return;
    event.preventDefault();
  };
  return (
    <div className="stack stack--medium docs-search">
      <input
        className="input"
        type="search"
        role="combobox"
        aria-label="Search endpoints, fields, errors, events and guides"
        aria-expanded={results.length > 0}
        aria-controls={`${id}-results`}
        aria-activedescendant={results.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Endpoints, fields, errors, events, guides"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setActive(0);
        }}
        onKeyDown={onKey}
      />
      <div ref={list} id={`${id}-results`} role="listbox" aria-label="Results" className="docs-search__results">
        {results.map((entry, position) => (
          <div
            key={`${entry.kind} ${entry.page} ${entry.hash ?? ''} ${entry.title}`}
            id={`${id}-${position}`}
            data-index={position}
            role="option"
            tabIndex={-1}
            aria-selected={position === active}
            className="docs-search__result"
            onPointerMove={() => setActive(position)}
            onClick={() => open(entry)}
            onKeyDown={onKey}
          >
            {entry.method ? <Method method={entry.method} /> : <Badge>{entry.kind}</Badge>}
            <span className="medium wrap-anywhere">{entry.title}</span>
            <span className="small secondary docs-search__detail truncate">{entry.detail}</span>
          </div>
        ))}
      </div>
      <p className="small muted" role="status">
        {query.trim() === '' ? (
          <>
            <kbd>↑</kbd> <kbd>↓</kbd> to choose, <kbd>Enter</kbd> to open
          </>
        ) : results.length === 0 ? (
          `Nothing found for “${query.trim()}”.`
        ) : (
          `${results.length} ${results.length === 1 ? 'result' : 'results'}`
        )}
      </p>
    </div>
  );
};
