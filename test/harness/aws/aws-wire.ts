/** Responds to requests of our AWS clients in the test's process. Only the network is replaced. */
import { wire } from '../../../shared/platform/aws-client/request-handler.ts';

export type WireHandler = typeof wire.handle;
export type WireRequest = Parameters<WireHandler>[0];
type WireAnswer = Awaited<ReturnType<WireHandler>>;

/** A response as the network would deliver it. */
export const wireAnswer = (status: number, body: object | string, headers: Record<string, string> = {}): WireAnswer => ({
  response: {
    statusCode: status,
    headers,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  } as WireAnswer['response'],
});

/** The target of a JSON call, such as `DynamoDB_20120810.Query`, as service and action. */
export const wireAction = ({ headers }: WireRequest): { service: string; action: string } => {
  const [service = '', action = ''] = String(headers['x-amz-target']).split('.');
  return { service, action };
};

export const wireText = ({ body }: WireRequest): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array | undefined);

/** Replaces the network until the returned function is called. `network` is the handler that it replaces. */
export const replaceWire = (
  handle: (request: WireRequest, network: () => ReturnType<WireHandler>) => ReturnType<WireHandler>,
) => {
  const { handle: network } = wire;
  wire.handle = (request, options) => handle(request, () => network(request, options));
  return (): void => {
    wire.handle = network;
  };
};
