interface LambdaCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The credentials that Lambda sets in the environment, valid as long as the container lives. They are passed to each client, so that
 * the SDK's chain of credential providers neither runs nor is bundled.
 */
export const lambdaCredentials = async (): Promise<LambdaCredentials> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error('the environment contains no AWS credentials');
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
};
