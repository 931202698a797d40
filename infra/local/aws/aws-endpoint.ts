/**
 * The single endpoint of embedded AWS. The credential scope of the signature names the access key, the region and the service.
 * Every call is checked against the caller's policies before it reaches an engine.
 */
import type { RequestListener } from 'node:http';
import { type Answer, AwsError, type Call, type Operation, type Service } from '../base/aws-service.ts';
import { listen } from '../base/loopback-server.ts';
import { readBody } from '../base/read-body.ts';
import { type Principal, rootAccessKeyId } from '../base/types.ts';
import { jsonProtocol } from '../engines/shared/aws-protocols.ts';
import type { PolicyGuard } from '../iam/policy-guard.ts';

interface AwsEndpointOptions {
  readonly services: Readonly<Record<string, Service>>;
  readonly guard: PolicyGuard;
  readonly principal: (accessKeyId: string) => Principal | undefined;
  /** Default: any free port. */
  readonly port?: number;
}

export const startAwsEndpoint = async ({ services, principal, guard, port = 0 }: AwsEndpointOptions) => {
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

  const receive: RequestListener = (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    readBody(request)
      .then((body) => answer({ method, path, headers, body }))
      .then((reply) => {
        response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) }).end(reply.body);
      })
      .catch(() => response.destroy());
  };
  // Lambda functions keep their connections open for their whole life.
  const server = await listen(port, { variable: 'KMS_PORT', handler: receive, options: { keepAliveTimeout: 0 } });
  return { url: `http://127.0.0.1:${server.port}`, stop: server.stop };
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
