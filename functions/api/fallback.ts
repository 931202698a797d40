/** What no route matches: a path that is not there, or a method it does not take. Answers like everything else. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { apiPrefix } from '../../shared/contract/endpoint.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { type Response, refuse } from '../../shared/http/index.ts';

export const handler = async (event: APIGatewayProxyEventV2): Promise<Response> =>
  isPreflight(event) ? { statusCode: 204, headers: {}, body: '' } : refuse(event, explain(event.rawPath));

/** A $default route is given preflights too; the gateway adds what its CORS configuration allows, and browsers want a 2xx. */
const isPreflight = ({ requestContext, headers }: APIGatewayProxyEventV2): boolean =>
  requestContext.http.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

const patterns = endpoints.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

const explain = (path: string): ApiError => {
  const methods = [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  if (methods.length > 0) {
    const allow = methods.join(', ');
    return new ApiError('METHOD_NOT_ALLOWED', `This path takes ${allow}`, { allowedMethods: methods }, { headers: { allow } });
  }
  // Version 1.x of the product served /api/... without a version; its clients should learn where things are now.
  const isUnversioned = /^\/api(\/|$)/.test(path) && !`${path}/`.startsWith(`${apiPrefix}/`);
  return new ApiError(
    'NOT_FOUND',
    isUnversioned ? `There is nothing here; the paths begin with ${apiPrefix}` : 'There is nothing here',
  );
};
