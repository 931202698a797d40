import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from '../../../../shared/client/index.ts';

export const isSignedOut = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401;

/** Called when a call within the console finds that the session has ended: one that reads, or a change, which is then not saved. */
type SignedOutListener = (during: 'read' | 'change') => void;
const listeners = new Set<SignedOutListener>();
export const onSignedOut = (listener: SignedOutListener): void => void listeners.add(listener);

const reportSignedOut = (error: unknown, during: 'read' | 'change'): void => {
  if (isSignedOut(error)) for (const listener of listeners) listener(during);
};

/**
 * The client retries by itself what is worth it. Without a network, calls fail at once: TanStack Query would otherwise keep a confirmed
 * restore and start it later, wherever the person is then.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [first] }) => {
      if (first !== 'session') reportSignedOut(error, 'read');
    },
  }),
  mutationCache: new MutationCache({ onError: (error) => reportSignedOut(error, 'change') }),
  defaultOptions: {
    queries: { retry: false, networkMode: 'always', staleTime: 5_000, gcTime: 10 * 60_000 },
    mutations: { retry: false, networkMode: 'always' },
  },
});
