/**
 * The methods of every path. Bundles contain this table, computed while bundling (infra/bundle/precompute.ts), instead of the contract.
 */
import { endpoints } from '../../contract/index.ts';

export const precomputedMethods = (): Readonly<Record<string, readonly string[]>> => {
  const routes = endpoints.flatMap(({ method, path, alsoPaths = [] }) =>
    [path, ...alsoPaths].map((each) => ({ path: each, method })),
  );
  return Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, at]) => [
      path,
      at.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
    ]),
  );
};
