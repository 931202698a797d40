/** Access to the API for the current organization: reading, lists, changes. */
import {
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  type Client,
  type DataOf,
  type ElementOf,
  type InputOf,
  type ListRoute,
  openClient,
  type PageRoute,
  type Route,
} from '../../../../shared/client/index.ts';
import { describeFailure } from '../format/describe-failure.ts';
import { showToast } from '../ui/overlay/toast.tsx';
import { pollInterval } from './poll-interval.ts';
import { renewSession, useMembership } from './session.ts';
import { useSingleMutation } from './use-single-mutation.ts';

const clients = new Map<string, Client>();

/** The client of an organization. */
export const clientOf = (organizationId: string): Client => {
  const client = clients.get(organizationId) ?? openClient({ baseUrl: '', organizationId, onUnauthorized: renewSession });
  clients.set(organizationId, client);
  return client;
};

export const useApi = (): { readonly client: Client; readonly organizationId: string } => {
  const { id } = useMembership();
  return useMemo(() => ({ client: clientOf(id), organizationId: id }), [id]);
};

/** `undefined` members do not matter, so that an absent filter and an undefined one share a cache entry. */
export const keyOf = (organizationId: string, route: string, input: unknown = {}): QueryKey => [organizationId, route, input];

interface ReadOptions<T> {
  /** Polls while it returns true, less often over time, and only while the page is visible. */
  readonly pollWhile?: (data: T) => boolean;
  /** The first interval; 1 s by default. */
  readonly pollFromMs?: number;
  /** Reads it again and again, this often, instead. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
  readonly staleTime?: number;
}

/** Reads one resource: `useRead('GET /backups/{backupId}', { params: { backupId } })`. */
export const useRead = <R extends Route>(
  route: R,
  input?: InputOf<R>,
  { pollWhile, pollFromMs, enabled = true, staleTime }: ReadOptions<DataOf<R>> = {},
): UseQueryResult<DataOf<R>> => {
  const { client, organizationId } = useApi();
  return useQuery({
    queryKey: keyOf(organizationId, route, input),
    queryFn: ({ signal }) => (client.request as AnyRequest)(route, { ...input, signal }) as Promise<DataOf<R>>,
    refetchInterval: (query) => pollInterval(query.state, pollWhile, pollFromMs),
    enabled,
    ...(staleTime !== undefined && { staleTime }),
  });
};

type AnyRequest = (route: string, input: object) => Promise<unknown>;

export interface ListResult<T> {
  /** Undefined while the first page loads. */
  readonly items: readonly T[] | undefined;
  readonly query: UseInfiniteQueryResult;
}

interface PagesOptions<R extends PageRoute, T> extends Omit<ReadOptions<readonly DataOf<R>[]>, 'pollFromMs'> {
  /** Defined once, not by each render. */
  readonly itemsOf: (data: DataOf<R>) => readonly T[];
  readonly pollFromMs?: number;
  /** While the pages of another input load, those of the one before are shown. */
  readonly keepsPrevious?: boolean;
}

interface Page<R extends PageRoute> {
  readonly data: DataOf<R>;
  readonly pagination: { readonly nextCursor: string | null };
}

/** How pages are read: by the hook, and by a prefetch of the first one. */
export const pagesQuery = <R extends PageRoute>(organizationId: string, route: R, input?: InputOf<R>) => ({
  queryKey: keyOf(organizationId, route, input),
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ signal, pageParam }: { readonly signal: AbortSignal; readonly pageParam: string | undefined }) => {
    const { query: filters } = (input ?? {}) as { query?: object };
    const call = { ...input, query: { ...filters, cursor: pageParam }, signal };
    return (await (clientOf(organizationId).page as AnyRequest)(route, call)) as Page<R>;
  },
});

/** Reads page by page what has pages: `items` are those of the loaded pages, `query.fetchNextPage()` loads the next one. */
export const usePages = <R extends PageRoute, T>(
  route: R,
  input: InputOf<R> | undefined,
  { itemsOf, pollWhile, pollFromMs, everyMs, enabled = true, staleTime, keepsPrevious = false }: PagesOptions<R, T>,
): ListResult<T> & {
  /** What the first page says beside its items. */
  readonly first: DataOf<R> | undefined;
} => {
  const { organizationId } = useApi();
  const query = useInfiniteQuery({
    ...pagesQuery(organizationId, route, input),
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      everyMs ?? pollInterval({ ...state, data: state.data?.pages.map(({ data }) => data) }, pollWhile, pollFromMs),
    enabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    ...(staleTime !== undefined && { staleTime }),
  });
  const { data } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => itemsOf(page.data)), [data, itemsOf]);
  return { items, query, first: data?.pages[0]?.data };
};

const listItems = <R extends ListRoute>(data: DataOf<R>): readonly ElementOf<R>[] => data as readonly ElementOf<R>[];

/** Reads a list page by page. */
export const useList = <R extends ListRoute>(
  route: R,
  input?: InputOf<R>,
  { pollWhile, ...options }: Omit<ReadOptions<readonly ElementOf<R>[]>, 'pollFromMs'> = {},
): ListResult<ElementOf<R>> =>
  usePages(route, input, {
    ...options,
    itemsOf: listItems<R>,
    ...(pollWhile && { pollWhile: (pages) => pollWhile(pages.flat() as ElementOf<R>[]) }),
  });

export interface WholeListResult<T> {
  /** Undefined until all pages are loaded. */
  readonly items: readonly T[] | undefined;
  readonly query: UseQueryResult<readonly T[]>;
}

/** Reads all pages of a list, for those that one chooses from or looks names up in. */
export const useWholeList = <R extends ListRoute>(route: R): WholeListResult<ElementOf<R>> => {
  const { client, organizationId } = useApi();
  const query = useQuery({
    queryKey: keyOf(organizationId, route),
    queryFn: ({ signal }) => {
      const all = (client.list as AnyList)(route, { query: { limit: 100 }, signal });
      return Array.fromAsync(all) as Promise<readonly ElementOf<R>[]>;
    },
  });
  return { items: query.data, query };
};

type AnyList = (route: string, input: object) => AsyncIterable<unknown>;

interface Change<V, T> {
  readonly call: (client: Client, input: V) => Promise<T>;
  /** What a toast says afterwards; without it there is none. */
  readonly done?: string | ((result: T, input: V) => string);
  /** `info` for what has only begun. */
  readonly tone?: 'good' | 'info';
  /** Paths whose reads are out of date, such as `/backups`. */
  readonly invalidates: readonly `/${string}`[];
  /** False if the page shows the error itself, beside the form. */
  readonly toastsError?: boolean;
  /** Reloads the same if it has failed: what is shown may be out of date. */
  readonly reloadsOnError?: boolean;
}

/** What a form needs of a change. */
export interface FormChange<V, T = unknown> {
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly mutate: (input: V, options: { readonly onSuccess: (result: T) => void }) => void;
}

/** Changes something: shows a toast when it is done or has failed, and reloads what it made out of date. */
export const useChange = <V = void, T = unknown>({
  call,
  done,
  tone = 'good',
  invalidates,
  toastsError = true,
  reloadsOnError = false,
}: Change<V, T>): UseMutationResult<T, Error, V> => {
  const { client, organizationId } = useApi();
  const queries = useQueryClient();
  const reload = (): Promise<void> =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [organization, route] }) =>
        organization === organizationId && invalidates.some((path) => String(route).split(' ')[1]?.startsWith(path)),
    });
  return useSingleMutation<T, V>({
    mutationFn: (input) => call(client, input),
    onSuccess: async (result, input) => {
      if (done !== undefined) showToast(typeof done === 'string' ? done : done(result, input), tone);
      await reload();
    },
    onError: async (error) => {
      const { message, advice, requestId } = describeFailure(error);
      if (toastsError) showToast(message, 'bad', [advice, requestId && `Request id ${requestId}`].filter(Boolean).join(' '));
      if (reloadsOnError) await reload();
    },
  });
};
