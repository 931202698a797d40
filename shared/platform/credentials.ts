/**
 * A function's credentials are those Lambda puts in its environment. infra/bundle.ts puts this in the place of the SDK's
 * chain of providers (profiles, SSO, instance metadata), which no function can use and which is a quarter of a bundle.
 */
export const defaultProvider = () => async () => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error('Lambda put no credentials in the environment');
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
};
