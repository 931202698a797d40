import { defaultProvider } from '@aws-sdk/credential-provider-node';

/** Credentials of the command's caller from the standard AWS chain: environment, profiles, single sign-on, instance role. */
export const cliCredentials = (): ReturnType<typeof defaultProvider> => defaultProvider();
