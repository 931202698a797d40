/** The only door to other people's servers. */

/** Calls the identity provider the deployer configured; nothing a caller sends can choose the address. */
export const fetchTrusted: typeof fetch = (input, init) =>
  fetch(input, { ...init, redirect: 'manual', signal: AbortSignal.timeout(10_000) });
