/** An account into which a release can be deployed: CloudFormation of the stage, buckets in memory, and the calls of the preflight. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { AwsError } from '../../../infra/local/base/aws-service.ts';
import type { CustomResources } from '../../../infra/local/engines/cloudformation/custom-resource.ts';
import { openCloudFormation } from '../../../infra/local/engines/cloudformation/open-cloudformation.ts';
import { queryService } from '../../../infra/local/engines/cloudformation/query-service.ts';
import type { ReleasedSchema } from '../../../shared/contract/schema-refusal.ts';
import { log } from '../../../shared/platform/index.ts';
import { type AccountEndpoint, startAccountEndpoint } from './account-endpoint.ts';
import { openAnswerAddress } from './answer-address.ts';

export interface DeployAccount {
  readonly url: string;
  /** By bucket and key. */
  readonly objects: Map<string, Buffer>;
  /** By name: the account that owns it. */
  readonly buckets: Map<string, string>;
  /** Of the preflight's calls. */
  answers: AccountEndpoint['answers'];
  /** What the table of the deployment says about itself. */
  schema: ReleasedSchema | undefined;
  /** Objects that CloudFormation does not find although they were uploaded. */
  vanishing: RegExp | undefined;
  close(): void;
}

/** `apiUrl`: the address that a deployed API has. */
export const startDeployAccount = async (apiUrl: () => string): Promise<DeployAccount> => {
  const objects = new Map<string, Buffer>();
  const buckets = new Map<string, string>();
  const reads = await startAccountEndpoint();
  const location = {
    region: 'eu-central-1',
    account: '123456789012',
    get apiUrl() {
      return apiUrl();
    },
    awsUrl: 'https://sqs.example',
  };
  let schema: ReleasedSchema | undefined;
  let vanishing: RegExp | undefined;
  const answerAddress = await openAnswerAddress();
  /** The function itself, with the table of this account. */
  const customResources: CustomResources = async ({ ResourceProperties, ...call }) => {
    const TABLE_NAME = String(ResourceProperties.TableName);
    const item = schema && {
      pk: { S: 'SCHEMA' },
      sk: { S: 'SCHEMA' },
      version: { N: String(schema.version) },
      release: { S: schema.release },
    };
    reads.answers = { ...reads.answers, BatchGetItem: { Responses: { [TABLE_NAME]: item ? [item] : [] } } };
    Object.assign(process.env, {
      TABLE_NAME,
      AWS_ENDPOINT_URL: reads.url,
      AWS_REGION: location.region,
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 's',
    });
    log.setLogLevel('SILENT');
    const { handler } = await import('../../../functions/deployment/check-schema.ts');
    await handler({
      ...call,
      ResourceProperties,
      ResponseURL: answerAddress.url,
    } as unknown as CloudFormationCustomResourceEvent);
    return answerAddress.answers.at(-1)?.Reason;
  };
  const stacks = queryService(
    openCloudFormation({
      location,
      objects: {
        read: async (bucket, key) => objects.get(`${bucket}/${key}`),
        has: async (bucket, key) => objects.has(`${bucket}/${key}`) && !vanishing?.test(key),
      },
      customResources,
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
  const answerBucket = ({ method, url = '', headers }: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const { pathname, search } = new URL(url, 'http://local');
    const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
    const name = `${bucket}/${key}`;
    const status = (found: boolean): number => (found ? 200 : 404);
    const expected = headers['x-amz-expected-bucket-owner'] ?? buckets.get(bucket);
    if (buckets.has(bucket) && expected !== buckets.get(bucket)) return void response.writeHead(403).end();
    if (key === '') {
      if (method === 'PUT' && !search.includes('publicAccessBlock')) buckets.set(bucket, location.account);
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
    answerAddress.close();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    buckets,
    get vanishing() {
      return vanishing;
    },
    set vanishing(names) {
      vanishing = names;
    },
    get answers() {
      return reads.answers;
    },
    set answers(answers) {
      reads.answers = answers;
    },
    get schema() {
      return schema;
    },
    set schema(written) {
      schema = written;
      const Item = written && { version: { N: String(written.version) }, release: { S: written.release } };
      reads.answers = { ...reads.answers, GetItem: Item ? { Item } : {} };
    },
    close,
  };
};
