/** Shown instead of a secret. No store or identity provider issues it, so it is recognized when a client sends it back. */
export const secretMask = '********';
