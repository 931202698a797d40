/** The signed-in person and the chosen organization. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useRef, useSyncExternalStore } from 'react';
import { type DataOf, NetworkFailure, openClient } from '../../../../shared/client/index.ts';
import { holdsDataOf, organizationKey } from './stored-choices.ts';
import { subscribeToStorage } from './use-stored.ts';

export type Session = DataOf<'GET /auth/me'>;
export type Membership = Session['organizations'][number];

const renewedKey = 'console.renewedAt';
const renewMs = 35_000;

/**
 * Renews the session cookie. A refresh token works once, and its second use ends the session: tabs take turns, and one that waited
 * uses the session that another tab has renewed.
 */
export const renewSession = async (): Promise<boolean> => {
  const wantedAt = Date.now();
  return navigator.locks.request('console.session', async () => {
    if (Number(localStorage.getItem(renewedKey)) > wantedAt) return true;
    // Leaving the page must not lose the new cookie, and a hanging call must not block the other tabs.
    const options = {
      method: 'POST',
      credentials: 'same-origin',
      keepalive: true,
      signal: AbortSignal.timeout(renewMs),
    } as const;
    const answer = await fetch('/api/v1/auth/refresh', options).catch((error: unknown) => {
      throw new NetworkFailure('POST /auth/refresh', 'no response', error);
    });
    if (answer.ok) localStorage.setItem(renewedKey, String(Date.now()));
    // A busy service says nothing about the session.
    if (answer.status === 429 || answer.status >= 500)
      throw new NetworkFailure('POST /auth/refresh', `status ${answer.status}`, undefined);
    return answer.ok;
  });
};

/** Calls that belong to no organization. */
export const personClient = openClient({ baseUrl: '', onUnauthorized: renewSession });

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await personClient.request('GET /auth/me', { signal });
    // A page that is being left shows nothing of the next person.
    if (!holdsDataOf(session.id)) return new Promise<never>(() => undefined);
    keepOrganization(session);
    return session;
  },
  staleTime: 60_000,
});

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** A tab keeps its organization, whatever is chosen in others. A new tab begins with the one of the tab that was used last. */
export const rememberedOrganization = (): string | undefined =>
  sessionStorage.getItem(organizationKey) ?? localStorage.getItem(organizationKey) ?? undefined;
export const rememberOrganization = (id: string): void => {
  sessionStorage.setItem(organizationKey, id);
  localStorage.setItem(organizationKey, id);
  window.dispatchEvent(new StorageEvent('storage', { key: organizationKey }));
};

/** The remembered organization if the person still belongs to it, else the first one. */
export const currentMembership = ({ organizations }: Session, remembered = rememberedOrganization()): Membership | undefined =>
  organizations.find(({ id }) => id === remembered) ?? organizations[0];

/** Without it, a tab in which no organization was chosen would follow the choice of another tab. */
const keepOrganization = (session: Session): void => {
  const membership = currentMembership(session);
  if (membership) sessionStorage.setItem(organizationKey, membership.id);
};

export const useRememberedOrganization = (): string | undefined =>
  useSyncExternalStore(subscribeToStorage, rememberedOrganization);

/** Of a person who has just left or deleted the last organization: that one, until the frame leads to the start page. */
export const useMembership = (): Membership => {
  const session = useSession();
  const remembered = useRememberedOrganization();
  const last = useRef<Membership>(undefined);
  last.current = currentMembership(session, remembered) ?? last.current;
  if (!last.current) throw new Error('the signed-in person belongs to no organization');
  return last.current;
};

const returnKey = 'console.returnTo';

/** Leaves for the identity provider; `returnTo` is the page to come back to. */
export const signIn = (returnTo?: string): void => {
  if (returnTo) sessionStorage.setItem(returnKey, returnTo);
  location.assign('/api/v1/auth/google');
};

/** The page that a person wanted before the sign-in, once. */
export const takeReturnTo = (): string | undefined => {
  const path = sessionStorage.getItem(returnKey) ?? undefined;
  sessionStorage.removeItem(returnKey);
  // Browsers read `//host` and `/\\host` as another origin.
  return path !== undefined && /^\/(?![/\\])/.test(path) ? path : undefined;
};
