/** Measures CPU time from the start of a process to the first response of an API function. This process serves the AWS endpoints. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { endpoints, entryOf, handlerOf } from '../../../shared/contract/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import { eventOf } from '../../harness/aws/api-event.ts';
import { tokenFor } from '../../harness/aws/signing-key.ts';
import { answerAws, table, variables } from '../handlers/in-process-aws.ts';

interface Answer {
  readonly cpuMs: number;
  readonly status: number;
}

export interface FirstAnswer {
  /** Undefined for a bundle without a suitable endpoint. */
  measure(entry: string, bundle: string): Promise<Answer | undefined>;
  /** The bare client, with one call. */
  measureBare(bundle: string): Promise<Answer>;
  stop(): void;
}

export const startFirstAnswer = async (): Promise<FirstAnswer> => {
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const answer = answerAws(action, JSON.parse(await text(request)));
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer ?? { __type: 'UnknownOperationException' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = putCaller();
  const environment = {
    ...variables,
    PATH: process.env.PATH,
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_LAMBDA_FUNCTION_NAME: 'Bench',
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
  const run = async (given: { readonly bundle: string; readonly handler: string; readonly event: unknown }): Promise<Answer> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, JSON.stringify(given)], { env: environment });
    return JSON.parse(stdout) as Answer;
  };
  const get = {
    action: 'BatchGetItem',
    input: { RequestItems: { [variables.TABLE_NAME]: { Keys: [{ pk: { S: 'a' }, sk: { S: 'b' } }] } } },
  };
  return {
    measure: async (entry, bundle) => {
      const endpoint = endpointOf(entry);
      return endpoint && run({ bundle, handler: handlerOf(endpoint).name, event: eventFor(endpoint, caller) });
    },
    measureBare: (bundle) => run({ bundle, handler: 'handler', event: [get] }),
    stop: () => void server.close().closeAllConnections(),
  };
};

/** An authenticated GET request with as few path parameters as possible; otherwise a change, which is refused for its empty body. */
const endpointOf = (entry: string): Endpoint | undefined =>
  endpoints.filter((endpoint) => entryOf(endpoint) === entry).toSorted((a, b) => rankOf(a) - rankOf(b))[0];

const rankOf = ({ path, access, method }: Endpoint): number =>
  path.split('{').length + (access === 'public' ? 100 : 0) + (method === 'GET' ? 0 : 1_000);

interface Caller {
  readonly organizationId: string;
  readonly token: string;
}

const putCaller = (): Caller => {
  const [userId, sessionId, organizationId] = [newId('user'), newId('session'), newId('organization')];
  const [now, nowSeconds] = [new Date().toISOString(), Math.floor(Date.now() / 1_000)];
  const times = { createdAt: now, updatedAt: now };
  table.put({
    pk: `USER#${userId}`,
    sk: 'PROFILE',
    id: userId,
    email: 'ada@example.com',
    emailVerified: true,
    name: 'Ada',
    picture: null,
    ...times,
  });
  table.put({ pk: `SESSION#${sessionId}`, sk: 'SESSION', id: sessionId, userId, createdAt: now, endsAt: nowSeconds + 100_000 });
  table.put({
    pk: `ORG#${organizationId}`,
    sk: 'META',
    id: organizationId,
    name: 'Bench',
    slug: 'bench',
    ownerId: userId,
    timezone: 'UTC',
    defaultStorageId: null,
    memberCount: 1,
    projectCount: 0,
    backupCount: 0,
    storageUsed: 0,
    ...times,
  });
  table.put({
    pk: `ORG#${organizationId}`,
    sk: `MEMBER#${userId}`,
    userId,
    role: 'owner',
    joinedAt: now,
    updatedAt: now,
    address: 'ada@example.com',
  });
  // Without it, the first list of alerts would also create the default one.
  table.put({ pk: `ORG#${organizationId}`, sk: 'ALERTING', createdAt: now, alertCount: 1 });
  return { organizationId, token: tokenFor(userId, sessionId, nowSeconds) };
};

/** Path parameters name nothing that exists: a 404 runs through the same code as a 200. */
const eventFor = ({ method, path }: Endpoint, { organizationId, token }: Caller) => {
  const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'none']));
  return eventOf({
    method,
    path: path.replaceAll(/\{\w+\}/g, 'none'),
    params,
    headers: { authorization: `Bearer ${token}`, 'x-organization-id': organizationId, 'user-agent': 'bench/1' },
  });
};

const program = `const { bundle, handler, event } = JSON.parse(process.argv[1]);
require(bundle)[handler](event, { awsRequestId: 'bench', getRemainingTimeInMillis: () => 20000 }).then((answer) => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, status: answer?.statusCode ?? 200 }), () => process.exit());
});`;
