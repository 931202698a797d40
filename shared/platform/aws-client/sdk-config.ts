import type { Readable } from 'node:stream';
import { NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS, NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS } from '@smithy/core/config';
import { lambdaCredentials } from './lambda-credentials.ts';
import { requestHandler } from './request-handler.ts';

/** Tries of one call, the first included. */
export const maxAttempts = 3;

/** Collects a response body. The SDK's own collector first loads Node's web streams, only to find that the body is none. */
const streamCollector = (body: Readable): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    body.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    body.on('end', () => resolve(Buffer.concat(chunks)));
    body.on('error', reject);
  });

/** Settings of every SDK client, inside and outside of functions. */
export const baseConfig = {
  credentials: lambdaCredentials,
  requestHandler,
  streamCollector,
  maxAttempts,
  retryMode: 'standard',
  defaultsMode: 'standard',
} as const;

/**
 * Settings of every SDK client of a function. The environment decides about endpoints (`AWS_REGION`, `AWS_ENDPOINT_URL*`,
 * `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`). For a setting that is missing here and in the environment, the SDK reads
 * configuration files, which a function does not have.
 */
export const sdkConfig = {
  ...baseConfig,
  useFipsEndpoint: async (): Promise<boolean> =>
    NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS.environmentVariableSelector(process.env) ?? false,
  useDualstackEndpoint: async (): Promise<boolean> =>
    NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS.environmentVariableSelector(process.env) ?? false,
  authSchemePreference: ['sigv4'],
  accountIdEndpointMode: 'preferred' as const,
  userAgentAppId: async (): Promise<string | undefined> => process.env.AWS_SDK_UA_APP_ID,
};
