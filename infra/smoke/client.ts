/** API client. A failed call is reported in one line with the request's id. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** A failed step: one line with the call and its response. */
export class StepError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Client {
  /** Returns the response; redirects are not followed. */
  send(method: string, path: string, body?: object): Promise<Answer>;
  /** Returns `data` of a call below /api/v1; throws a StepError if it fails. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

interface Caller {
  readonly token?: string | undefined;
  readonly organizationId?: string | undefined;
}

/** The gateway times out after 30 s. */
const timeoutMs = 35_000;
/** Throttling and cold starts may fail a few times; persistent failures are reported. */
const triesMax = 4;

export const openClient = (url: string, { token, organizationId }: Caller = {}): Client => {
  const headers = {
    accept: 'application/json',
    'user-agent': 'backup-management-service-smoke',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(organizationId !== undefined && { 'x-organization-id': organizationId }),
  };
  const once = async (method: string, path: string, body: object | undefined, key: string): Promise<Answer> => {
    try {
      const answer = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...(body && { 'content-type': 'application/json', 'idempotency-key': key }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      throw new StepError(`${method} ${url}${path}: ${reasonOf(error)}`);
    }
  };
  const send: Client['send'] = async (method, path, body) => {
    // All attempts share one Idempotency-Key.
    const key = randomUUID();
    for (let tries = 1; ; tries++) {
      const answer = await once(method, path, body, key);
      if ((answer.status !== 429 && answer.status !== 503) || tries === triesMax) return answer;
      await pause(1_000 * Math.min(Number(answer.headers.get('retry-after')) || tries, 60));
    }
  };
  return {
    send,
    call: async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await send(method, `/api/v1${path}`, body);
      const { success, data, error } = envelopeIn<T>(answer.text);
      if (answer.status < 300 && success) return data as T;
      const said = error ? `${error.code}: ${error.message}` : 'with a body that is not from this service';
      throw new StepError(`${method} /api/v1${path} answered ${answer.status} ${said}${requestOf(answer)}`, answer.status);
    },
  };
};

interface Envelope<T> {
  readonly success?: boolean;
  readonly data?: T;
  readonly error?: { readonly code: string; readonly message: string };
}

const envelopeIn = <T>(text: string): Envelope<T> => {
  try {
    return (JSON.parse(text) ?? {}) as Envelope<T>;
  } catch {
    return {};
  }
};

const requestOf = ({ headers }: Answer): string => {
  const id = headers.get('x-request-id');
  return id ? ` (request ${id})` : '';
};

/** ENOTFOUND and its like are under the error's cause. */
const reasonOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1_000} s`;
  return cause?.code ?? cause?.message ?? message;
};
