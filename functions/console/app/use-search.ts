import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

type Search = Readonly<Record<string, string | undefined>>;

/** The search parameters of the page's address, and a function that changes some of them. */
export const useSearchParams = (): readonly [Search, (change: Search, options?: { readonly replace?: boolean }) => void] => {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = useCallback(
    (change: Search, { replace = false } = {}) =>
      void navigate({
        to: '.',
        search: (old: object) =>
          Object.fromEntries(
            Object.entries({ ...old, ...change }).filter(([, value]) => value !== undefined && value !== ''),
          ) as never,
        replace,
      }),
    [navigate],
  );
  return [search, set];
};
