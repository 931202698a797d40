import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { paths } from '../../../paths.ts';
import { Badge } from '../../../ui/data/badge.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { SearchList } from '../../../ui/overlay/search-list.tsx';
import { buildIndex, type Entry } from '../model/build-index.ts';
import { guideList } from '../model/guide-list.ts';
import { searchIndex } from '../model/search-index.ts';
import { useReference } from '../parts/reference-context.ts';
import { Method } from '../reference/method.tsx';

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
  const results = useMemo(
    () => (query.trim() === '' ? index.filter(({ kind }) => kind === 'Guide') : searchIndex(index, query)),
    [index, query],
  );
  const navigate = useNavigate();
  const open = ({ page, hash }: Entry): void => {
    onClose();
    void navigate({ to: paths.docsPage(page), ...(hash !== undefined && { hash }) });
  };
  return (
    <div className="docs-search">
      <SearchList
        label="Search endpoints, fields, errors, events and guides"
        placeholder="Endpoints, fields, errors, events, guides"
        query={query}
        onQuery={setQuery}
        results={results}
        keyOf={({ kind, page, hash, title }) => `${kind} ${page} ${hash ?? ''} ${title}`}
        onChoose={open}
      >
        {(entry) => (
          <>
            {entry.method ? <Method method={entry.method} /> : <Badge>{entry.kind}</Badge>}
            <span className="medium wrap-anywhere">{entry.title}</span>
            <span className="small secondary docs-search__detail truncate">{entry.detail}</span>
          </>
        )}
      </SearchList>
    </div>
  );
};
