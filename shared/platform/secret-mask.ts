/** Shown instead of a secret. No store or identity provider issues it, so it is recognized when a client sends it back. */
export const secretMask = '********';

/** Whether a client sent back a masked value, in whole or in part. */
export const isMasked = (value: string): boolean => /\*{4}|\u2022{3}|^\*{3}$/.test(value);
