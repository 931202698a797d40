/** Bundled in place of the SDK's credential provider chain; `absent-credentials.ts` says why. */

/** A missing export here is an error of the bundling, so a new use of the chain is noticed. */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('the credential provider chain is not part of this bundle: pass credentials to the client');
};
