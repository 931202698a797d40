import type { Agent as HttpAgent } from 'node:http';
import type { gaxios } from 'google-auth-library';
import { clock } from '../../../platform/clock.ts';
import { type AccessToken, TokenError } from '../../../platform/http/google-access-token.ts';
import { answerMaxBytes, collect, tooLarge } from '../byte-range.ts';
import { agentFor } from '../http-agent.ts';
import { StorageError } from '../object-store.ts';
import { gcsError, toStorageError } from './gcs-error.ts';
import { AuthClient } from './gcs-library.ts';
import { storageScopes } from './storage-scopes.ts';

/** Passed with the options of each request through the library. */
export interface GcsCall {
  /** Completes "The store did not …". */
  readonly doing: string;
  readonly signal?: AbortSignal | undefined;
  /** For the content of an object: the expected status and the most bytes of the response. */
  readonly media?: { readonly status: number; readonly maxBytes: number };
}

export interface GcsRequest extends gaxios.GaxiosOptions {
  readonly call?: GcsCall;
}

/** Requests a new access token; rejects with a TokenError. The transport keeps it until it expires. */
export type TokenRequest = (scopes: readonly string[]) => Promise<AccessToken>;

interface GcsTransportOptions {
  readonly baseUrl: string;
  readonly requestToken: TokenRequest;
  /** Timeout from the first byte of a request to the last byte of its response. */
  readonly requestMs: number;
}

/** A token is replaced before its last minutes, so that it outlives the request. */
const marginMs = 5 * 60_000;

/**
 * The auth client of the library, through which it sends every request. The token is sent to one origin only, no redirect is
 * followed, and time and size of a response are limited. Rejects with a StorageError.
 */
export class GcsTransport extends AuthClient {
  readonly #requestToken: TokenRequest;
  readonly #origin: string;
  readonly #requestMs: number;
  readonly #agent: HttpAgent;
  #token: { readonly token: string; readonly expiresAtMs: number } | undefined;
  #fetching: Promise<string> | undefined;

  constructor({ baseUrl, requestToken, requestMs }: GcsTransportOptions) {
    super({ useAuthRequestParameters: false });
    this.#requestToken = requestToken;
    this.#origin = new URL(baseUrl).origin;
    this.#requestMs = requestMs;
    this.#agent = agentFor(baseUrl);
  }

  override async request<T>({ call = { doing: 'respond' }, ...options }: GcsRequest): gaxios.GaxiosPromise<T> {
    if (new URL(String(options.url)).origin !== this.#origin)
      throw new StorageError('invalid', 'The store redirected to another host.');
    call.signal?.throwIfAborted();
    const isReused = this.#token !== undefined;
    const headers = new Headers(options.headers);
    headers.set('authorization', `Bearer ${await this.#freshToken()}`);
    const end = new AbortController();
    try {
      const response = await this.transporter.request<T>({
        ...options,
        ...limits,
        headers,
        agent: this.#agent,
        signal: anySignal(end.signal, AbortSignal.timeout(this.#requestMs), call.signal, options.signal),
        ...(call.media ? { responseType: 'stream' } : { responseType: 'json', maxContentLength: answerMaxBytes }),
      });
      const { status } = response;
      if (isExpected(response, call)) return response;
      const body = call.media
        ? (await collect(response.data as AsyncIterable<Uint8Array>, answerMaxBytes)).toString()
        : JSON.stringify(response.data);
      if (status === 401) this.#token = undefined;
      // A token that was good before may have been revoked; the next attempt gets a new one.
      if (status === 401 && isReused)
        throw new StorageError('unavailable', `The store did not ${call.doing}: the token is no longer valid.`);
      throw gcsError(status, body, call.doing);
    } catch (error) {
      end.abort();
      throw toStorageError(error);
    }
  }

  override async getAccessToken(): Promise<{ token: string }> {
    return { token: await this.#freshToken() };
  }

  override async getRequestHeaders(): Promise<Headers> {
    return new Headers({ authorization: `Bearer ${await this.#freshToken()}` });
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #freshToken(): Promise<string> {
    if (this.#token && this.#token.expiresAtMs - marginMs > clock.now().getTime()) return this.#token.token;
    this.#fetching ??= this.#fetchToken().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchToken(): Promise<string> {
    try {
      this.#token = await this.#requestToken(storageScopes);
      return this.#token.token;
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      throw new StorageError(error.isTransient ? 'unavailable' : 'denied', `${error.message}.`, { cause: error });
    }
  }
}

/** `compress` is an option of the library's fetch: without decompression a response has its announced length. */
const limits = {
  retry: false,
  redirect: 'manual',
  compress: false,
  validateStatus: () => true,
  // It would inspect every byte of a part, for seconds. Errors of the library never leave the store, so there is nothing to redact.
  errorRedactor: false,
} as const;

const isExpected = ({ status, headers }: gaxios.GaxiosResponse, { media }: GcsCall): boolean => {
  if (!media) return status < 300 || status === 308;
  if (status === media.status && Number(headers.get('content-length') ?? 0) > media.maxBytes) throw tooLarge();
  return status === media.status;
};

const anySignal = (...signals: readonly (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal instanceof AbortSignal));
