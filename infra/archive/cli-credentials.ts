import { defaultProvider } from '@aws-sdk/credential-provider-node';

/**
 * Credentials of the command's caller: those of the named profile of the AWS configuration, else of the standard AWS chain
 * (environment, profiles, single sign-on, instance role).
 */
export const cliCredentials = (profile?: string): ReturnType<typeof defaultProvider> =>
  defaultProvider(profile === undefined ? {} : { profile, logger: silent });

/** The SDK would warn that the environment has credentials, too. */
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
