/** The only door to other people's servers. */

/** A sign-in asks the provider up to three times in a row (itself, tokens, keys) and must answer before its function ends at 20 s. */
const patienceMs = 5_000;

/** Calls the identity provider the deployer configured; nothing a caller sends can choose the address. */
export const fetchTrusted: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: 'manual', signal: AbortSignal.timeout(patienceMs) });
