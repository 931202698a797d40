import { defaultProvider } from '@aws-sdk/credential-provider-node';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/**
 * Credentials for commands that a person runs, found as every AWS tool finds them: environment variables, profiles, single sign-on
 * or the machine's role. Functions do not use it.
 */
export const foundKeys = (): ReturnType<typeof defaultProvider> => defaultProvider();
