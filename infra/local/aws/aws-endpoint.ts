/**
 * The single endpoint of embedded AWS. The credential scope of the signature names the access key, the region and the service.
 * Every call is checked against the caller's policies before it reaches an engine.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, AwsError, type Call, type Operation, type Service } from '../base/aws-service.ts';
import { type Principal, rootAccessKeyId } from '../base/types.ts';
import { jsonProtocol } from '../engines/shared/aws-protocols.ts';
import type { PolicyGuard } from '../iam/policy-guard.ts';

interface AwsEndpoint {
  readonly url: string;
  stop(): Promise<void>;
}

interface AwsEndpointOptions {
  readonly services: Readonly<Record<string, Service>>;
  readonly guard: PolicyGuard;
  readonly principal: (accessKeyId: string) => Principal | undefined;
  /** Default: any free port. */
  readonly port?: number;
}

export const startAwsEndpoint = async ({ services, principal, guard, port = 0 }: AwsEndpointOptions): Promise<AwsEndpoint> => {
  const answer = async (call: Call): Promise<Answer> => {
    const scope = readScope(call);
    const service = scope && services[scope.service];
    if (!service) return strangers.refuse(unservedService(scope?.service));
    try {
      const caller = scope.accessKeyId === rootAccessKeyId ? undefined : principal(scope.accessKeyId);
      if (!caller && scope.accessKeyId !== rootAccessKeyId)
        throw new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.');
      const operation = service.read(call);
      const needs = service.needs(operation);
      if (!needs) throw unservedOperation(scope.service, operation);
      if (caller) guard.permit(caller, needs);
      return await service.answer(operation, call);
    } catch (error) {
      if (error instanceof AwsError) return service.refuse(error);
      return service.refuse(new AwsError('InternalFailure', `local ${scope.service} engine failed: ${String(error)}`, 500));
    }
  };

  const server = createServer((request, response) => {
    void receive(request, answer).then(
      (reply) => send(response, reply),
      () => response.destroy(),
    );
  });
  // Lambda functions keep their connections open for their whole life.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

// Unknown services answer in the most common protocol.
const strangers = jsonProtocol('1.0');

const unservedService = (service: string | undefined): AwsError =>
  service === undefined
    ? new AwsError('MissingAuthenticationTokenException', 'Request is missing Authentication Token', 403)
    : new AwsError('UnknownOperationException', `the local stage has no AWS service "${service}"`);

const unservedOperation = (service: string, { action }: Operation): AwsError =>
  new AwsError('UnknownOperationException', `the local stage does not support ${service} ${action}`);

const readScope = ({ headers, path }: Call): { accessKeyId: string; service: string } | undefined => {
  const signed = headers.authorization ?? decodeURIComponent(/[?&]X-Amz-Credential=([^&]+)/.exec(path)?.[1] ?? '');
  const [, accessKeyId, service] = /(?:Credential=|^)([^/\s]+)\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(signed) ?? [];
  return accessKeyId && service ? { accessKeyId, service } : undefined;
};

const receive = (request: IncomingMessage, answer: (call: Call) => Promise<Answer>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', reject);
    request.on('end', () => {
      const { method = 'GET', url: path = '/', headers } = request;
      resolve(answer({ method, path, headers, body: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts) }));
    });
  });

const send = (response: ServerResponse, { status, headers, body }: Answer): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
};
