import { queryOptions } from '@tanstack/react-query';
import type { Document } from '../../../../shared/contract/openapi/openapi-document.ts';
import { personClient } from '../api/session.ts';

/** The OpenAPI document of the service. It changes only with a deployment. */
export const documentQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: async ({ signal }) => (await personClient.request('GET /openapi.json', { signal })) as unknown as Document,
  staleTime: Number.POSITIVE_INFINITY,
});
