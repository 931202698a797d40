/** Responds to calls that no endpoint serves: an unknown path or an unsupported method. */
import { apiPrefix, type Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { assertWithinLimit, countAddress } from '../rate-limit.ts';
import type { CallInProgress } from '../request-envelope.ts';
import type { Response } from '../responses.ts';

/** The gateway routes all methods of a path without an own route to the GET endpoint: one route serves GET and HEAD. */
export const isOtherMethod = ({ method }: Endpoint, { incoming }: CallInProgress): boolean =>
  method === 'GET' && incoming.method !== 'GET' && incoming.method !== 'HEAD';

export const answerUnrouted = async ({ incoming, now, reportRate }: CallInProgress): Promise<Response> => {
  if (isPreflight(incoming)) return { statusCode: 204, headers: {}, body: '' };
  const rate = countAddress(incoming.origin.ip, now);
  reportRate(rate);
  assertWithinLimit(rate);
  throw await explain(incoming.path);
};

/** Preflights match every route without a method. The gateway adds the CORS headers; browsers only need a 2xx. */
const isPreflight = ({ method, headers }: CallInProgress['incoming']): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll(/\{\w+\+\}/g, '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );

/** As the gateway ranks routes: in each segment a name precedes a parameter, and that one precedes the rest of a path. */
const rankOf = (path: string): string =>
  path
    .split('/')
    .map((segment) => (/^\{\w+\+\}$/.test(segment) ? 2 : segment.startsWith('{') ? 1 : 0))
    .join('');

const explain = async (path: string): Promise<ApiError> => {
  // Code that is not bundled computes the table from the whole contract, so it is loaded only here.
  const { precomputedMethods } = await import('./precomputed-methods.ts');
  const [matching] = Object.entries(precomputedMethods())
    .filter(([each]) => patternOf(each).test(path))
    .sort(([one], [other]) => (rankOf(one) < rankOf(other) ? -1 : 1));
  const methods = matching?.[1] ?? [];
  if (methods.length > 0) {
    const allow = methods.join(', ');
    return new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allow}`, { allowedMethods: methods }, { headers: { allow } });
  }
  // Version 1.x served /api/... without a version.
  const isUnversioned = /^\/api(\/|$)/.test(path) && !`${path}/`.startsWith(`${apiPrefix}/`);
  return new ApiError('NOT_FOUND', isUnversioned ? `Path not found. Paths begin with ${apiPrefix}` : 'Path not found');
};
