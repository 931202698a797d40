/** A sign-in makes up to three calls in sequence and must end within the 20 s of its function. */
const defaultTimeoutMs = 5_000;

/** Calls a service of the deployment's configuration (identity provider, Google), never an address from a request. */
export const fetchTrusted = (
  input: string | URL,
  { signal, ...init }: RequestInit = {},
  timeoutMs: number = defaultTimeoutMs,
): Promise<Response> => {
  const timeout = AbortSignal.timeout(timeoutMs);
  return fetch(input, { ...init, redirect: 'manual', signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
};
