import { useState } from 'react';
import { type PlannedSearch, type SearchQuery, useDocumentSearch } from '../../data/search.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { Button } from '../../ui/form/button.tsx';
import { FoundMatches } from './found-matches.tsx';
import { PlanCard } from './plan-card.tsx';
import { searchTimeMs } from './search-time.ts';

interface SearchRunProps {
  readonly wanted: SearchQuery;
  readonly planned: PlannedSearch;
}

/** What takes longer is begun by the person, who then knows what it costs. */
const unaskedMs = 15_000;

/** The plan of a search, its progress and what it finds. */
export const SearchRun = ({ wanted, planned }: SearchRunProps) => {
  const { plan } = planned;
  const [isBegun, setBegun] = useState(searchTimeMs(plan) <= unaskedMs);
  const { search, progress } = useDocumentSearch(wanted, isBegun);
  const { data, error, refetch } = search;
  return (
    <>
      <PlanCard planned={planned} scanned={data?.scanned}>
        {!isBegun && (
          <div className="row">
            <Button variant="primary" icon="search" onClick={() => setBegun(true)}>
              Search {formatPlural(plan.documents, 'document')}
            </Button>
            {wanted.collection === undefined && <span className="small muted">A collection alone takes less.</span>}
          </div>
        )}
        {isBegun && !data && !error && (
          <div className="stack stack--tight" role="status">
            <p>
              {formatCount(progress.documents)} of {formatPlural(plan.documents, 'document')} searched,{' '}
              {formatCount(progress.matches)} found
            </p>
            <Progress label="Searching" percent={Math.min(100, (100 * progress.documents) / Math.max(1, plan.documents))} />
          </div>
        )}
      </PlanCard>
      {error && !data && <ErrorNotice error={error} title="The search failed" onRetry={() => void refetch()} />}
      {data && <FoundMatches found={data} />}
    </>
  );
};
