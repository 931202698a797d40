import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

type Search = Readonly<Record<string, string | undefined>>;

/** The search parameters of the page's address as text, and a function that changes some of them. */
export const useSearchParams = (): readonly [Search, (change: Search, options?: { readonly replace?: boolean }) => void] => {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
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
  // The router reads numbers and true as such; an id or a path may look like one.
  const texts = Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));
  return [texts, set];
};
