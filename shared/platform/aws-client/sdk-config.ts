import { lambdaCredentials } from './lambda-credentials.ts';
import { requestHandler } from './request-handler.ts';

/** Attempts of one call, the first included. */
export const maxAttempts = 3;

/**
 * The configuration of every SDK client of a function. The SDK resolves region and endpoint at the first call
 * (`AWS_REGION`, `AWS_ENDPOINT_URL*`, `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`).
 */
export const sdkConfig = {
  credentials: lambdaCredentials,
  requestHandler,
  maxAttempts,
  retryMode: 'standard',
  defaultsMode: 'standard',
} as const;
