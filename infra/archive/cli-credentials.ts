import { defaultProvider } from '@aws-sdk/credential-provider-node';

/** The credentials of whoever runs a command, found as every AWS tool finds them: variables, profiles, single sign-on, the machine's role. */
export const cliCredentials = (): ReturnType<typeof defaultProvider> => defaultProvider();
