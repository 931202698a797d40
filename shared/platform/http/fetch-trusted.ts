/** The only door to other people's servers. */

/** A sign-in asks the provider up to three times in a row (itself, tokens, keys) and must answer before its function ends at 20 s. */
const patienceMs = 5_000;

/** Calls a service the deployer configured (identity provider, Google); nothing a caller sends can choose the address. */
export const fetchTrusted = (
  input: string | URL,
  { signal, ...init }: RequestInit = {},
  timeoutMs: number = patienceMs,
): Promise<Response> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  return fetch(input, { ...init, redirect: 'manual', signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
};
