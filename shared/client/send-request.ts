/** Sends one call, with retries. */
import { NetworkFailure } from './failures.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface RetryPolicy {
  /** Including the first. */
  readonly attempts: number;
  /** Before the second attempt; doubles with each further one. */
  readonly backoffMs: number;
  readonly timeoutMs: number;
}

/** The gateway answers within 30 s. */
export const defaultRetryPolicy: RetryPolicy = { attempts: 5, backoffMs: 500, timeoutMs: 35_000 };
const backoffMaxMs = 20_000;
/** A call that may be repeated only later than this is reported at once. */
const retryAfterMaxSeconds = 60;

export interface OutgoingCall {
  readonly method: string;
  /** Begins at the root. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** False: repeating the call could repeat its effect, so it is repeated only if the service refused to run it (429). */
  readonly isRepeatable: boolean;
}

export interface ApiConnection {
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly credentials: 'same-origin' | 'omit';
  readonly redirect?: 'manual' | undefined;
  readonly retry: RetryPolicy;
}

/** Returns the last answer; throws a NetworkFailure if there was none, or the reason of an aborted signal. */
export const sendRequest = async (connection: ApiConnection, call: OutgoingCall): Promise<Answer> => {
  const { attempts, backoffMs } = connection.retry;
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(connection, call).catch((error: unknown) => error as Error);
    call.signal?.throwIfAborted();
    const waitMs = attempt < attempts ? retryDelayMs(outcome, call, backoffMs * 2 ** (attempt - 1)) : undefined;
    if (waitMs !== undefined) await pause(waitMs, call.signal);
    else if (outcome instanceof Error) throw outcome;
    else return outcome;
  }
};

const sendOnce = async ({ baseUrl, fetch, credentials, redirect, retry }: ApiConnection, call: OutgoingCall): Promise<Answer> => {
  const { method, path, headers, body, signal } = call;
  const timeout = AbortSignal.timeout(retry.timeoutMs);
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      credentials,
      ...(redirect && { redirect }),
      ...(body !== undefined && { body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    const reason = timeout.aborted ? `no response within ${retry.timeoutMs / 1_000} s` : reasonOf(error);
    throw new NetworkFailure(`${method} ${baseUrl}${path}`, reason, error);
  }
};

/** Node reports ENOTFOUND and its like under the error's cause. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
};

/** Undefined: do not retry. */
const retryDelayMs = (outcome: Answer | Error, { isRepeatable }: OutgoingCall, backoffMs: number): number | undefined => {
  // Half of the delay is random, so that callers that failed together do not return together.
  const jitteredMs = Math.min(backoffMs, backoffMaxMs) * (0.5 + Math.random() / 2);
  if (outcome instanceof Error) return isRepeatable ? jitteredMs : undefined;
  const isBusy = outcome.status === 429 || (isRepeatable && [502, 503, 504].includes(outcome.status));
  const seconds = retryAfterOf(outcome) ?? 0;
  return isBusy && seconds <= retryAfterMaxSeconds ? Math.max(seconds * 1_000, jitteredMs) : undefined;
};

/** In seconds; the header may also be a date. */
export const retryAfterOf = ({ headers }: Pick<Answer, 'headers'>): number | null => {
  const header = headers.get('retry-after');
  if (!header) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds));
};

/** Rejects with the signal's reason when it is aborted. */
export const pause = (delayMs: number, signal?: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
