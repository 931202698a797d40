/**
 * Stands in for the network in the bundles that are measured: a request is answered in this process, at the next turn of the event
 * loop. Everything above it (our code, and serialising, signing and trying again, ours or the SDK's) is the real one.
 */
export interface AwsRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array;
}

/** Set by the bench; the bundles each have a copy of this module and meet there. */
export type Answering = (request: AwsRequest) => Promise<object>;
const shared = globalThis as { benchAws?: Answering };

const answered = async (request: AwsRequest): Promise<Buffer> => {
  if (!shared.benchAws) throw new Error('nobody answers');
  return Buffer.from(JSON.stringify(await shared.benchAws(request)));
};

/** In the place of shared/platform/exchange.ts. */
export const exchange = async (request: AwsRequest) => ({ status: 200, headers: {}, body: await answered(request) });
export class AnswerTooLong extends Error {}

/** In the place of the SDK's HTTP handler, for what ours is compared with. */
export class NodeHttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  static create(): NodeHttpHandler {
    return new NodeHttpHandler();
  }
  async handle(request: AwsRequest) {
    const body = await answered(request);
    return { response: { statusCode: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body } };
  }
  updateHttpClientConfig(): void {}
  httpHandlerConfigs(): object {
    return {};
  }
  destroy(): void {}
}

export const streamCollector = async (body: Uint8Array): Promise<Uint8Array> => body;

/** What to bundle with, so that nothing leaves the process. */
export const withoutNetwork = {
  'shared/platform/exchange.ts': 'test/bench/network.ts',
  '@smithy/node-http-handler': 'test/bench/network.ts',
} as const;
