/** Handles calls that match no route: an unknown path or an unsupported method. */
import { apiPrefix } from '../../shared/contract/endpoint.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { assertWithinLimit, countAddress, prefersHtml, redirectResponse, withEnvelope } from '../../shared/http/index.ts';
import { clock } from '../../shared/platform/index.ts';

export const handler = withEnvelope(
  'fallback',
  async ({ incoming, now, reportRate }) => {
    if (isPreflight(incoming)) return { statusCode: 204, headers: {}, body: '' };
    // A greedy route needs at least one segment, so this path matches none.
    if (incoming.path === '/console/' && prefersHtml(incoming.headers.accept)) return redirectResponse('/console');
    const rate = countAddress(incoming.origin.ip, now);
    reportRate(rate);
    assertWithinLimit(rate);
    throw explain(incoming.path);
  },
  clock,
);

/** The $default route also receives preflights. The gateway adds the CORS headers; browsers only need a 2xx. */
const isPreflight = ({ method, headers }: { method: string; headers: Readonly<Record<string, string | undefined>> }): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\+\}/g, '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );

const patterns = endpoints.flatMap(({ method, path, alsoPaths = [] }) =>
  [path, ...alsoPaths].map((each) => ({ method, pattern: patternOf(each) })),
);

const explain = (path: string): ApiError => {
  const methods = [
    ...new Set(
      patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
    ),
  ];
  if (methods.length > 0) {
    const allow = methods.join(', ');
    return new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allow}`, { allowedMethods: methods }, { headers: { allow } });
  }
  // Version 1.x served /api/... without a version.
  const isUnversioned = /^\/api(\/|$)/.test(path) && !`${path}/`.startsWith(`${apiPrefix}/`);
  return new ApiError('NOT_FOUND', isUnversioned ? `Path not found. Paths begin with ${apiPrefix}` : 'Path not found');
};
