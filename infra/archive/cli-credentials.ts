import { defaultProvider } from '@aws-sdk/credential-provider-node';

/** The credentials of a command's caller, found as every AWS tool finds them: variables, profiles, single sign-on, the machine's role. */
export const cliCredentials = (): ReturnType<typeof defaultProvider> => defaultProvider();
