/** The API Gateway event of a request. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

export interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly ip?: string;
}

let made = 0;

export const eventOf = (request: Request = {}): APIGatewayProxyEventV2 => {
  const {
    method = 'GET',
    path = '/',
    query = '',
    headers = {},
    cookies,
    params,
    body,
    isBase64Encoded = false,
    ip = '203.0.113.7',
  } = request;
  made += 1;
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: query,
    headers: { ...headers },
    ...(cookies && { cookies: [...cookies] }),
    ...(params && { pathParameters: { ...params } }),
    ...(body !== undefined && { body }),
    isBase64Encoded,
    requestContext: {
      accountId: '1',
      apiId: 'api',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: ip, userAgent: headers['user-agent'] ?? '' },
      requestId: `request-${made}`,
      routeKey: `${method} ${path}`,
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
  };
};
