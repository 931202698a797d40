/** An account into which a release can be deployed: CloudFormation of the stage, buckets in memory, and the calls of the preflight. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsError } from '../../../infra/local/base/aws-service.ts';
import { openCloudFormation } from '../../../infra/local/engines/cloudformation/open-cloudformation.ts';
import { queryService } from '../../../infra/local/engines/cloudformation/query-service.ts';
import { startAccountEndpoint } from './account-endpoint.ts';

export interface DeployAccount {
  readonly url: string;
  /** By bucket and key. */
  readonly objects: Map<string, Buffer>;
  readonly buckets: Set<string>;
  close(): void;
}

/** `apiUrl`: the address that a deployed API has. */
export const startDeployAccount = async (apiUrl: () => string): Promise<DeployAccount> => {
  const objects = new Map<string, Buffer>();
  const buckets = new Set<string>();
  const reads = await startAccountEndpoint();
  const location = {
    region: 'eu-central-1',
    account: '123456789012',
    get apiUrl() {
      return apiUrl();
    },
    awsUrl: 'https://sqs.example',
  };
  const stacks = queryService(
    openCloudFormation({
      location,
      objects: {
        read: async (bucket, key) => objects.get(`${bucket}/${key}`),
        has: async (bucket, key) => objects.has(`${bucket}/${key}`),
      },
    }),
    'http://cloudformation.amazonaws.com/doc/2010-05-15/',
  );

  const answerStacks = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
    const call = { method: 'POST', path: '/', headers: request.headers, body };
    const answer = await stacks.answer(stacks.read(call), call).catch((error: unknown) => {
      if (error instanceof AwsError) return stacks.refuse(error);
      throw error;
    });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };

  /** Path style: an address with an IP has no room for the bucket in its host. */
  const answerBucket = ({ method, url = '' }: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const { pathname, search } = new URL(url, 'http://local');
    const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    const name = `${bucket}/${key}`;
    const status = (found: boolean): number => (found ? 200 : 404);
    if (key === '') {
      if (method === 'PUT' && !search.includes('publicAccessBlock')) buckets.add(bucket);
      response.writeHead(status(buckets.has(bucket)), { 'x-amz-bucket-region': 'eu-central-1' }).end();
    } else if (method === 'PUT') {
      objects.set(name, body);
      response.writeHead(200, { etag: '"1"' }).end();
    } else response.writeHead(status(objects.has(name))).end(method === 'HEAD' ? undefined : objects.get(name));
  };

  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [, service] = /\/([^/]+)\/aws4_request/.exec(request.headers.authorization ?? '') ?? [];
    if (service === 'cloudformation') return answerStacks(request, response, body);
    if (service === 's3') return answerBucket(request, response, body);
    const { method = 'GET', url = '/', headers } = request;
    const { host: _, connection: _connection, 'content-length': _length, ...passed } = headers;
    const answer = await fetch(`${reads.url}${url}`, {
      method,
      headers: passed as Record<string, string>,
      ...(method !== 'GET' && { body: new Uint8Array(body) }),
    });
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
    reads.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, objects, buckets, close };
};
