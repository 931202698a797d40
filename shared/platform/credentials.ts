import type { AwsKeys } from './signature.ts';

/** A function's own keys are those Lambda puts in its environment, for as long as its container lives. */
export const ownKeys = async (): Promise<AwsKeys> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
  if (!accessKeyId || !secretAccessKey) throw new Error('Lambda put no credentials in the environment');
  return { accessKeyId, secretAccessKey, sessionToken };
};
