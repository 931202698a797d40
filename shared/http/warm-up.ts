import { get, publicKeys, secretValue } from '../platform/index.ts';

let isStarted = false;

/**
 * Starts, while Lambda loads the function, what its first call would otherwise wait for: the table's connection, the keys that
 * verify tokens and the service secret. For functions that use the table. A failure is ignored here, because the
 * first call asks again and reports it.
 */
export const warmUp = (): void => {
  const { AWS_LAMBDA_FUNCTION_NAME, TABLE_NAME, TOKEN_KEY_IDS, SERVICE_SECRET_ID } = process.env;
  if (isStarted || AWS_LAMBDA_FUNCTION_NAME === undefined) return;
  isStarted = true;
  if (TABLE_NAME) ignoreFailure(get({ pk: 'WARM-UP', sk: 'WARM-UP' }));
  if (TOKEN_KEY_IDS) ignoreFailure(publicKeys());
  if (SERVICE_SECRET_ID) ignoreFailure(secretValue('SERVICE_SECRET_ID'));
};

const ignoreFailure = (work: Promise<unknown>): void => void work.catch(() => undefined);
