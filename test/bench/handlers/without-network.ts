/**
 * Replaces the network in the measured bundles: requests are answered in this process, in the next tick of the event loop.
 * Everything above it (our code, and serialization, signing and retries of the SDK) is real.
 */
export interface AwsRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | Uint8Array;
}

/** Set by the benchmark. Each bundle has its own copy of this module, so they share it through `globalThis`. */
export type AnswerRequest = (request: AwsRequest) => Promise<object>;
const shared = globalThis as { benchAws?: AnswerRequest };

const answered = async (request: AwsRequest): Promise<Buffer> => {
  if (!shared.benchAws) throw new Error('globalThis.benchAws is not set');
  return Buffer.from(JSON.stringify(await shared.benchAws(request)));
};

/** Replaces the SDK's HTTP handler. */
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

/** Aliases for the bundler, so that no request leaves the process. */
export const withoutNetwork = {
  '@smithy/node-http-handler': 'test/bench/handlers/without-network.ts',
} as const;
