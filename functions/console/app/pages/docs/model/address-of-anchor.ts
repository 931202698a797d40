import type { Reference } from './read-reference.ts';

/** Where an anchor of the former single page is now; undefined if it had none of that name. */
export const addressOfAnchor = (
  anchor: string,
  { endpoints, events }: Pick<Reference, 'endpoints' | 'events'>,
): { readonly page: string; readonly hash?: string } | undefined => {
  if (anchor === 'signing-in' || anchor === 'errors' || anchor === 'events') return { page: anchor };
  const endpoint = endpoints.find(({ id }) => id === anchor);
  if (endpoint) return { page: endpoint.area, hash: endpoint.id };
  return events.some(({ id }) => id === anchor) ? { page: 'events', hash: anchor } : undefined;
};
