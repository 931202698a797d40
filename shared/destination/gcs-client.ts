/** Calls of the Cloud Storage JSON API, each as often as it takes. */
import type { Agent } from 'node:http';
import { type Answer, clock, type GoogleAccount, googleAccessToken, TokenError } from '../platform/index.ts';
import { type Patience, persist } from './attempts.ts';
import { exchange } from './http-exchange.ts';
import { StorageError } from './store.ts';

export interface GcsOptions {
  readonly baseUrl: string;
  readonly account: GoogleAccount;
  readonly agent: Agent;
  readonly patience: Patience;
}

export interface GcsCall {
  readonly doing: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, or an address the store gave for an upload, which must be there too. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal | undefined;
  /** Of an object that is read. */
  readonly maxBytes?: number;
}

const scopes = ['https://www.googleapis.com/auth/devstorage.read_write'];
/** A token is not used in its last minutes: the call must end before it does. */
const marginMs = 5 * 60_000;

export class GcsClient {
  readonly #options: GcsOptions;
  #token: { readonly token: string; readonly expiresAtMs: number } | undefined;

  constructor(options: GcsOptions) {
    this.#options = options;
  }

  get patience(): Patience {
    return this.#options.patience;
  }

  /** Answers with one of these statuses are returned; all others are thrown, in our words. */
  call(call: GcsCall, ...accepted: readonly number[]): Promise<Answer> {
    return persist(() => this.once(call, ...accepted), this.#options.patience, call.signal);
  }

  /** The same, tried once, for what must look before it tries again. */
  async once(call: GcsCall, ...accepted: readonly number[]): Promise<Answer> {
    const { doing, method, path, headers = {}, body, signal, maxBytes } = call;
    const { baseUrl, agent, patience } = this.#options;
    const url = new URL(path, baseUrl);
    // The token goes nowhere else, whatever an answer says.
    if (url.origin !== new URL(baseUrl).origin) throw new StorageError('invalid', 'The store points to another host.');
    const limit = AbortSignal.timeout(patience.requestMs);
    const isKept = this.#token !== undefined;
    const authorization = `Bearer ${await this.#freshToken()}`;
    const answer = await exchange({
      ...{ method, url, agent, headers: { ...headers, authorization }, ...(body !== undefined && { body }) },
      ...{ signal: signal ? AbortSignal.any([signal, limit]) : limit, maxBytes },
    });
    if (accepted.includes(answer.status)) return answer;
    if (answer.status === 401) {
      this.#token = undefined;
      // One that was good before may have been taken back; a new one will tell.
      if (isKept) throw new StorageError('unavailable', `The store did not ${doing}: the token is no longer good.`);
    }
    throw failure(answer, doing);
  }

  close(): void {
    this.#options.agent.destroy();
  }

  async #freshToken(): Promise<string> {
    if (!this.#token || this.#token.expiresAtMs - marginMs < clock.now().getTime()) {
      try {
        this.#token = await googleAccessToken(this.#options.account, scopes);
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        throw new StorageError(error.isTransient ? 'unavailable' : 'denied', `${error.message}.`, { cause: error });
      }
    }
    return this.#token.token;
  }
}

const failure = ({ status, body }: Answer, doing: string): StorageError => {
  const said = String(status);
  if (status === 404 && /bucket does not exist/i.test(body.toString('utf8', 0, 2_000)))
    return new StorageError('missing', 'There is no such bucket.', { bucket: true });
  if (status === 404 || status === 410) return new StorageError('missing', 'There is no such object.');
  if (status === 401 || status === 403) return new StorageError('denied', `The store refused to ${doing} (${said}).`);
  if (status === 408 || status === 429 || status >= 500)
    return new StorageError('unavailable', `The store did not ${doing} (${said}).`);
  return new StorageError('invalid', `The store would not ${doing} (${said}).`);
};
