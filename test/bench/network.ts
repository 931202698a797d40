/**
 * Stands in for the SDK's HTTP handler in the bundles that are measured: a request is answered in this process, at the
 * next turn of the event loop. Everything above it (our code, the SDK's serialising, signing and retrying) is the real one.
 */
export interface AwsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Set by the bench; the bundles each have a copy of this module and meet there. */
export type Answering = (request: AwsRequest) => Promise<object>;
const shared = globalThis as { benchAws?: Answering };

export class NodeHttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  static create(): NodeHttpHandler {
    return new NodeHttpHandler();
  }
  async handle(request: AwsRequest) {
    if (!shared.benchAws) throw new Error('nobody answers');
    const body = Buffer.from(JSON.stringify(await shared.benchAws(request)));
    return { response: { statusCode: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body } };
  }
  updateHttpClientConfig(): void {}
  httpHandlerConfigs(): object {
    return {};
  }
  destroy(): void {}
}

export const streamCollector = async (body: Uint8Array): Promise<Uint8Array> => body;
