/**
 * Replaces the network in the bundles that are measured: requests are answered in this process, in the next tick of the event loop.
 * Everything above it (our code, and serialization, signing and retries of the SDK) is real.
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

/** What to bundle with, so that nothing leaves the process. */
export const withoutNetwork = {
  '@smithy/node-http-handler': 'test/bench/network.ts',
} as const;
