import type { DataOf, InputOf } from '../../../../shared/client/index.ts';
import { projectSorts, protections } from '../../../../shared/contract/protections.ts';
import { queryClient } from '../api/query-client.ts';
import { pagesQuery, usePages } from '../api/use-api.ts';

export type Overview = DataOf<'GET /overview'>;
export type ProjectOverview = Overview['projects'][number];
export type Attention = Overview['attention'][number];
export type OverviewFilters = NonNullable<NonNullable<InputOf<'GET /overview'>>['query']>;

const isOneOf = (text: string | undefined, words: readonly string[]): boolean => text !== undefined && words.includes(text);

/** Filters from the search parameters of an address; unknown values are ignored. */
export const overviewFilters = ({
  search,
  protection,
  label,
  sort,
}: Readonly<Record<string, string | undefined>>): OverviewFilters => ({
  ...(search !== undefined && search.trim() !== '' && { search }),
  ...(isOneOf(protection, protections) && { protection: protection as OverviewFilters['protection'] }),
  ...(label !== undefined && { label }),
  ...(isOneOf(sort?.replace('-', ''), projectSorts) && { sort: sort as OverviewFilters['sort'] }),
});

const staleTime = 15_000;
/** A call reads up to 6 MB: polled every 10 s at most, and not with many pages, each of which is a call. */
const polledPagesMax = 3;

const projectsOfPage = ({ projects }: Overview): Overview['projects'] => projects;

/** Jobs run, or a capture waits for its base backup. */
const isChanging = ({ totals, projects }: Overview): boolean =>
  totals.runningJobs > 0 || projects.some(({ pitr }) => pitr.status === 'starting');

/** The state of all projects, and the pages of those that match the filters. */
export const useOverview = (query: OverviewFilters = {}) =>
  usePages(
    'GET /overview',
    { query },
    {
      itemsOf: projectsOfPage,
      pollWhile: (pages) => pages.length <= polledPagesMax && pages.some(isChanging),
      pollFromMs: 10_000,
      staleTime,
      keepsPrevious: true,
    },
  );

/** The state of one project, and what needs attention there. */
export const useProjectState = (projectId: string) => {
  // The search finds ids, too.
  const { items, first, query } = useOverview({ search: projectId });
  return {
    /** Undefined until it is known. */
    state: items?.find(({ id }) => id === projectId),
    attention: first?.attention.filter((each) => each.projectId === projectId) ?? [],
    query,
  };
};

/** Starts the call before the page is drawn. */
export const prefetchOverview = (organizationId: string, query: OverviewFilters): void => {
  void queryClient.prefetchInfiniteQuery({ ...pagesQuery(organizationId, 'GET /overview', { query }), staleTime });
};
