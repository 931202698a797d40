/** Searching what a backup holds. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DataOf, type InputOf, searchInParts } from '../../../../shared/client/index.ts';
import { keyOf, useApi, useRead } from '../api/use-api.ts';

export type PlannedSearch = DataOf<'GET /search'>;
export type SearchPlan = PlannedSearch['plan'];
export type SearchQuery = Pick<NonNullable<InputOf<'GET /search'>['query']>, 'q' | 'projectId' | 'backupId' | 'collection'>;

/** A backup does not change, and a search may read all of it. */
const staleTime = 10 * 60_000;
const matchesMax = 200;

/** What the search would read. */
export const useSearchPlan = (query: SearchQuery, enabled: boolean) =>
  useRead('GET /search', { query: { ...query, dryRun: 'true' } }, { enabled, staleTime });

/** `progress` says how far a search is that takes several calls. */
export const useDocumentSearch = (query: SearchQuery, enabled: boolean) => {
  const { client, organizationId } = useApi();
  const [progress, setProgress] = useState({ documents: 0, matches: 0 });
  const search = useQuery({
    queryKey: keyOf(organizationId, 'GET /search', { query, matchesMax }),
    queryFn: ({ signal }) => {
      setProgress({ documents: 0, matches: 0 });
      return searchInParts(client, { query, matchesMax, signal, onProgress: setProgress });
    },
    enabled,
    staleTime,
  });
  return { search, progress };
};
