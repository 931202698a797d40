/**
 * Endpoint discovery of DynamoDB is off unless a function's environment asks for it, which none does. infra/bundle.ts puts this
 * in the place of the SDK's cache of discovered endpoints, whose data structures would be a fiftieth of every bundle.
 */
export class EndpointCache {
  getEndpoint(): undefined {}
  get(): undefined {}
  set(): void {}
  delete(): void {}
}
