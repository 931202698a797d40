import { lambdaCredentials } from './lambda-credentials.ts';
import { requestHandler } from './request-handler.ts';

/** Tries of one call, the first included. */
export const maxAttempts = 3;

/**
 * What every SDK client of a function is made with. Region and endpoint are not set here: the SDK resolves them at the first call
 * (`AWS_REGION`, `AWS_ENDPOINT_URL*`, `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`).
 */
export const sdkConfig = {
  credentials: lambdaCredentials,
  requestHandler,
  maxAttempts,
  retryMode: 'standard',
  defaultsMode: 'standard',
} as const;
