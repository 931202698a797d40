import type { DataOf } from '../../../../shared/client/index.ts';
import { type ListResult, usePages } from './use-api.ts';

interface Deliveries {
  readonly 'GET /alerts/{alertId}/deliveries': DataOf<'GET /alerts/{alertId}/deliveries'>['deliveries'][number];
  readonly 'GET /webhooks/{webhookId}/deliveries': DataOf<'GET /webhooks/{webhookId}/deliveries'>['deliveries'][number];
}

/** Reads deliveries page by page. Not a list of the API, because the deliveries are a field of its data. */
export const useDeliveries = <R extends keyof Deliveries>(
  route: R,
  params: Readonly<Record<string, string>>,
  status: Deliveries[R]['status'] | undefined,
): ListResult<Deliveries[R]> =>
  usePages<R, Deliveries[R]>(route, { params, query: { status, limit: 25 } } as never, {
    itemsOf: deliveriesOf<R>,
    pollWhile: (pages) => pages.flatMap(deliveriesOf<R>).some((delivery) => delivery.status === 'attempting'),
  });

const deliveriesOf = <R extends keyof Deliveries>(data: DataOf<R>): readonly Deliveries[R][] =>
  (data as { readonly deliveries: readonly Deliveries[R][] }).deliveries;
