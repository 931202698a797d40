import type { ClientHttp2Stream } from 'node:http2';
import type { DatabaseEdition } from '../contract/read-prices.ts';
import { systemTimers, type Timers } from '../platform/index.ts';
import { Availability } from './grpc/availability.ts';
import { cancellableSleep } from './grpc/cancellable-sleep.ts';
import { ConnectionPool } from './grpc/connection-pool.ts';
import { FrameBuffer, headerBytes } from './grpc/frame-buffer.ts';
import { GrpcStream } from './grpc/grpc-stream.ts';
import type { KeepaliveOptions } from './grpc/keepalive.ts';
import { type ReadBilling, readBilling } from './grpc/read-billing.ts';
import { RetryState, type SourceRetryOptions, type SourceRetryPolicy, sourceRetryPolicy } from './grpc/retry-state.ts';
import { cancelled, SourceError } from './grpc/source-error.ts';
import { RpcError } from './grpc/status.ts';

/** Supplies access tokens. `refresh` means that the server rejected the last one. */
export type TokenSupplier = (how: { readonly refresh: boolean }) => Promise<string>;

export interface SourceOptions {
  /** `https://firestore.googleapis.com` */
  readonly endpoint: string;
  readonly projectId: string;
  readonly databaseId?: string;
  /** How reads are billed; `standard` unless told. */
  readonly edition?: DatabaseEdition;
  readonly token: TokenSupplier;
  /** Random fraction in [0, 1) for jitter. */
  readonly random: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly retryPolicy?: Partial<SourceRetryPolicy>;
  readonly keepalive?: Partial<KeepaliveOptions>;
  /** Timers of connections and streams; system timers by default. */
  readonly timers?: Timers;
}

interface CallOptions {
  readonly refresh: boolean;
  readonly wantedBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** A Firestore database to read from or write to. Calls share connections and may run concurrently. */
export class FirestoreDatabase {
  /** `projects/p/databases/d` */
  readonly database: string;
  /** `projects/p/databases/d/documents` */
  readonly root: string;
  readonly billing: ReadBilling;
  readonly connections: ConnectionPool;
  readonly availability: Availability;
  readonly #options: SourceOptions;
  readonly #retryPolicy: SourceRetryPolicy;
  readonly #timers: Timers;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(options: SourceOptions) {
    const { endpoint, projectId, databaseId = '(default)' } = options;
    this.database = `projects/${projectId}/databases/${databaseId}`;
    this.root = `${this.database}/documents`;
    this.billing = readBilling[options.edition ?? 'standard'];
    this.#options = options;
    this.#retryPolicy = { ...sourceRetryPolicy, ...options.retryPolicy };
    this.#timers = options.timers ?? systemTimers;
    this.availability = new Availability(this.#timers);
    this.connections = new ConnectionPool({ endpoint, keepalive: options.keepalive, timers: this.#timers });
    this.#headers = {
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-accept-encoding': 'identity',
      'google-cloud-resource-prefix': this.database,
      'x-goog-request-params': new URLSearchParams({ project_id: projectId, database_id: databaseId }).toString(),
    };
  }

  /** Options of retries. */
  retryOptions(signal: AbortSignal | undefined): SourceRetryOptions {
    const { random, sleep = cancellableSleep } = this.#options;
    return { policy: this.#retryPolicy, random, sleep, signal, availability: this.availability };
  }

  newRetryState(signal: AbortSignal | undefined): RetryState {
    return new RetryState(this.retryOptions(signal));
  }

  /** Starts a call without retries; the response accumulates in `buffer`. A request in pieces is copied before it is sent. */
  async startCall(
    method: string,
    request: Buffer | readonly Buffer[],
    { buffer, ...options }: CallOptions & { readonly buffer: FrameBuffer },
  ): Promise<GrpcStream> {
    const { stream, call } = await this.#open(method, buffer, options);
    stream.end(framed(request));
    return call;
  }

  /** Starts a bidirectional call: more requests can follow. */
  async startStreamingCall(
    method: string,
    buffer: FrameBuffer,
    options: CallOptions,
  ): Promise<{ readonly call: GrpcStream; readonly send: (request: Buffer) => void }> {
    const { stream, call } = await this.#open(method, buffer, options);
    // The server ended the stream; the call completes once this side ends too.
    stream.once('end', () => stream.end());
    return { call, send: (request) => stream.write(framed(request)) };
  }

  async #open(
    method: string,
    buffer: FrameBuffer,
    { refresh, wantedBytes, signal }: CallOptions,
  ): Promise<{ stream: ClientHttp2Stream; call: GrpcStream }> {
    if (signal?.aborted) throw cancelled();
    const { connection, stream } = await this.#connect(method, refresh);
    buffer.filled = 0;
    const { silenceMs } = this.#retryPolicy;
    const { availability } = this;
    const timers = this.#timers;
    return { stream, call: new GrpcStream(stream, buffer, { connection, timers, wantedBytes, silenceMs, signal, availability }) };
  }

  async #connect(method: string, refresh: boolean): ReturnType<ConnectionPool['request']> {
    const waiting = this.availability.wait();
    try {
      const token = await this.#token(refresh);
      return await this.connections.request({
        ...this.#headers,
        ':path': `/google.firestore.v1.Firestore/${method}`,
        authorization: `Bearer ${token}`,
      });
    } finally {
      waiting.end();
    }
  }

  /** Runs work of one or several calls and retries all of it. Errors other than RpcError pass through. */
  async retry<T>(work: (refresh: boolean) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const retries = this.newRetryState(signal);
    for (;;) {
      try {
        const result = await work(retries.needsToken);
        retries.progress();
        return result;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        await retries.failed(error);
      }
    }
  }

  /** Calls with retries and returns the messages of a small response. */
  call(method: string, request: Buffer, signal: AbortSignal | undefined): Promise<readonly Buffer[]> {
    return this.retry((refresh) => this.callOnce(method, request, { refresh, signal }), signal);
  }

  /** Calls once and returns the messages of a small response; throws RpcError. */
  async callOnce(
    method: string,
    request: Buffer | readonly Buffer[],
    options: Pick<CallOptions, 'refresh' | 'signal'>,
  ): Promise<readonly Buffer[]> {
    const buffer = new FrameBuffer(4_096);
    const call = await this.startCall(method, request, { ...options, buffer, wantedBytes: Number.POSITIVE_INFINITY });
    try {
      while (!call.isOver) await call.wait();
      const { failure } = call;
      if (failure) {
        call.suspect(failure);
        throw failure;
      }
      return messagesOf(buffer);
    } finally {
      call.cancel();
    }
  }

  close(): void {
    this.connections.close();
  }

  /** The token supplier may fail like any server; it throws a SourceError if the grant was revoked. */
  async #token(refresh: boolean): Promise<string> {
    try {
      return await this.#options.token({ refresh });
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw new RpcError('UNAVAILABLE', 'No access token could be obtained.', { cause: error });
    }
  }
}

const framed = (request: Buffer | readonly Buffer[]): Buffer => {
  const header = Buffer.alloc(headerBytes);
  const frame = Buffer.concat(Buffer.isBuffer(request) ? [header, request] : [header, ...request]);
  frame.writeUInt32BE(frame.length - headerBytes, 1);
  return frame;
};

const messagesOf = (buffer: FrameBuffer): readonly Buffer[] => {
  const messages: Buffer[] = [];
  const rest = buffer.forEachMessage((start, end) => messages.push(buffer.bytes.subarray(start, end)));
  if (rest < buffer.filled) throw new RpcError('INTERNAL', 'The response of the source ended within a message.');
  return messages;
};
