import { get, publicKeys, secretValue, warm } from '../platform/index.ts';

/**
 * Prepares during the Lambda's init phase what its first call needs: the table's connection, the token keys and the service secret.
 * Failures are ignored, because the first call retries and reports them.
 */
export const warmUp = warm((): void => {
  const { AWS_LAMBDA_FUNCTION_NAME, TABLE_NAME, TOKEN_KEY_IDS, SERVICE_SECRET_ID } = process.env;
  if (AWS_LAMBDA_FUNCTION_NAME === undefined) return;
  if (TABLE_NAME) ignoreFailure(get({ pk: 'WARM-UP', sk: 'WARM-UP' }));
  if (TOKEN_KEY_IDS) ignoreFailure(publicKeys());
  if (SERVICE_SECRET_ID) ignoreFailure(secretValue('SERVICE_SECRET_ID'));
});

const ignoreFailure = (work: Promise<unknown>): void => void work.catch(() => undefined);
