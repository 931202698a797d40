import type { Agent } from 'node:http';
import {
  type Answer,
  AwsClock,
  AwsError,
  type AwsKeys,
  awsHost,
  encodedPath,
  exchange,
  isSkewed,
  type Query,
  sentQuery,
  signedHeaders,
} from '../platform/index.ts';
import { answerMaxBytes } from './http-exchange.ts';
import { refusalOf, regionOf } from './s3-answer.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Whether the region was only guessed: the store then tells the right one. */
  readonly isGuessed?: boolean;
  /** AWS, unless given. */
  readonly endpoint?: string | undefined;
  readonly keys: () => Promise<AwsKeys>;
  readonly agent: Agent;
  readonly connectMs: number;
}

export interface S3Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The object; the bucket itself where it is left out. */
  readonly key?: string | undefined;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Of an object that is read; all other answers have a bound of their own. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/** Sends calls to one bucket of AWS or of whoever speaks S3, each once: what fails is tried again by whoever asked. */
export class S3Client {
  readonly #options: S3Options;
  readonly #clock = new AwsClock();
  #region: string;

  constructor(options: S3Options) {
    this.#options = options;
    this.#region = options.region;
  }

  /** The answer of a call that succeeded; throws an AwsError for one that was refused. */
  async send(call: S3Call): Promise<Answer> {
    const answer = await this.#send(call);
    if (isFine(answer)) return answer;
    if (this.#goesElsewhere(answer)) {
      const led = await this.#send(call);
      if (isFine(led)) return led;
      throw refusalOf(led);
    }
    const refusal = refusalOf(answer);
    if (isSkewed(refusal.name) && this.#clock.learn(answer.headers.date))
      throw new AwsError('RequestTimeTooSkewed', refusal.message, answer.status);
    throw refusal;
  }

  close(): void {
    this.#options.agent.destroy();
  }

  async #send({
    method,
    key = '',
    query = {},
    headers = {},
    body = '',
    maxBytes = answerMaxBytes,
    signal,
  }: S3Call): Promise<Answer> {
    const { keys, agent, connectMs } = this.#options;
    const { url, base } = this.#place();
    const path = `${base}/${encodedPath(key)}`;
    const scope = { service: 's3', region: this.#region };
    const signed = signedHeaders({ method, host: url.host, path, query, headers, body }, scope, await keys(), this.#clock.now());
    return exchange({
      ...{ method, url, path: `${path}${sentQuery(query)}`, headers: signed, body },
      ...{ agent, signal, connectMs, maxBytes, refusalMaxBytes: answerMaxBytes, asksFirst: true },
    });
  }

  /** AWS has an address for every bucket, unless its name has dots, which no certificate of AWS is for. */
  #place(): { readonly url: URL; readonly base: string } {
    const { bucket, endpoint } = this.#options;
    if (endpoint !== undefined) {
      const url = new URL(endpoint);
      return { url, base: `${url.pathname.replace(/\/+$/, '')}/${encodedPath(bucket)}` };
    }
    const host = awsHost('s3', this.#region);
    return /^[a-z\d][a-z\d-]{1,61}[a-z\d]$/.test(bucket)
      ? { url: new URL(`https://${bucket}.${host}`), base: '' }
      : { url: new URL(`https://${host}`), base: `/${encodedPath(bucket)}` };
  }

  /** Whether the bucket is in another region than was guessed; from now on it is asked there. */
  #goesElsewhere(answer: Answer): boolean {
    const told = this.#options.isGuessed ? regionOf(answer) : undefined;
    if (told === undefined || told === this.#region) return false;
    // It becomes part of an address.
    if (!/^[a-z]{2,5}(-[a-z]+)+-\d{1,2}$/.test(told)) return false;
    this.#region = told;
    return true;
  }
}

const isFine = ({ status }: Answer): boolean => status >= 200 && status < 300;
