/** Sends a call with the session of the reader, once, and keeps the answer as it came. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Client, openClient } from '../../../../../../shared/client/index.ts';
import { isSignedOut } from '../../../api/query-client.ts';
import {
  currentMembership,
  type Membership,
  renewSession,
  type Session,
  sessionQuery,
  useRememberedOrganization,
} from '../../../api/session.ts';
import { mayHoldSession } from '../../../api/stored-choices.ts';
import { deniedReason } from '../../../format/denied-reason.ts';
import type { Endpoint } from '../model/read-reference.ts';
import { type CallDraft, readDraft } from './call-draft.ts';

export interface TryAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly durationMs: number;
}

export interface Reader {
  /** Undefined while it is unknown or if no person is signed in. */
  readonly session: Session | undefined;
  readonly membership: Membership | undefined;
  readonly isLoading: boolean;
}

/** The signed-in reader, if there is one: the docs are public. */
export const useReader = (): Reader => {
  // An error is not asked again by each part of the page that wants to know.
  const { data, error, isLoading } = useQuery({ ...sessionQuery, retryOnMount: false, enabled: mayHoldSession() });
  const session = isSignedOut(error) ? undefined : data;
  const remembered = useRememberedOrganization();
  return { session, membership: session && currentMembership(session, remembered), isLoading };
};

/** Why the reader cannot send this call; undefined if they can. */
export const refusalOf = (endpoint: Endpoint, { session, membership }: Reader): string | undefined => {
  if (endpoint.isRedirect) return 'It answers with a redirect to the identity provider: open its address in the browser.';
  if (endpoint.access === 'public') return undefined;
  if (!session) return 'Sign in first.';
  if (endpoint.access === 'user' || endpoint.access === 'browser') return undefined;
  if (!membership) return 'You belong to no organization yet. Create one first.';
  return endpoint.role && deniedReason(membership.role, endpoint.role);
};

const clientFor = (organizationId: string | undefined): Client =>
  openClient({ baseUrl: '', organizationId, onUnauthorized: renewSession, retry: { attempts: 1 } });

export const useTry = (endpoint: Endpoint, organizationId: string | undefined) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (draft: CallDraft): Promise<TryAnswer> => {
      const call = readDraft(endpoint, draft);
      if ('problems' in call) throw new Error('the draft is incomplete');
      const client = clientFor(endpoint.access === 'organization' ? organizationId : undefined);
      const startedMs = performance.now();
      const { status, headers, text } = await client.send(routeOf(endpoint) as never, {
        ...call,
        ...(draft.idempotencyKey !== '' && { idempotencyKey: draft.idempotencyKey }),
      });
      return { status, headers, text, durationMs: performance.now() - startedMs };
    },
    // Whatever was changed, other pages read it anew. Nothing is thrown away before: this page shows the session, too.
    onSuccess: () =>
      endpoint.method === 'GET'
        ? undefined
        : queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => first !== 'openapi' }),
  });
};

/** As the client names it: below /api/v1 without the prefix. */
const routeOf = ({ method, path }: Endpoint): string => `${method} ${path.replace(/^\/api\/v1(?=\/)/, '')}`;
