/** Replaces the SDK's credential provider chain in bundles: single sign-on, profiles, processes, web identity and instance metadata. */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** Entry points of the chain. What only they import is not bundled either. */
const chain =
  /^(@aws-sdk\/(credential-provider-(node|sso|ini|process|web-identity|http|login)|token-providers|nested-clients)|@smithy\/credential-provider-imds)(\/|$)/;

/** Functions pass the credentials of Lambda's environment to every client, so the chain never runs; its stand-in throws. */
export const absentCredentials: Plugin = {
  name: 'absent-credentials',
  setup(build) {
    const path = fileURLToPath(new URL('absent-credentials-stand-in.ts', import.meta.url));
    build.onResolve({ filter: chain }, () => ({ path }));
  },
};
