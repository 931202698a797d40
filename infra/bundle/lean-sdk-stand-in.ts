/** Bundled in place of what `lean-sdk.ts` leaves out. An import of any other name is an error of the bundling. */

const absent = (what: string) => (): never => {
  throw new Error(`${what} is not part of this bundle: see infra/bundle/lean-sdk.ts`);
};

/** A client that is made without credentials rejects its first call with this error. */
export const defaultProvider = () => absent("the SDK's credential provider chain");

export const eventStreamSerdeProvider = absent("the SDK's support of event streams");
export const EventStreamSerde = eventStreamSerdeProvider;

/** The S3 client asks for it when it is made, and uses it for SelectObjectContent only, which we never call. */
export const resolveEventStreamSerdeConfig = <T>(config: T): T => config;

/** The DynamoDB client asks for both when it is made. */
export const resolveEndpointDiscoveryConfig = <T>(config: T): T => config;
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: (): undefined => undefined,
  configFileSelector: (): undefined => undefined,
  default: false,
};
