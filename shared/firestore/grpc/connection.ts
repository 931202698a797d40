import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import type { Timers } from '../../platform/index.ts';
import { Keepalive, type KeepaliveOptions } from './keepalive.ts';
import { RpcError } from './status.ts';

/** Receive window of a stream: bounds memory and allows 200 MB/s at 20 ms round-trip time. */
const streamWindowBytes = 4 << 20;
const sessionWindowBytes = 64 << 20;
/** Node's default of 10 rejects new calls while requests of 10 MiB are still being sent. */
const sessionMemoryMb = 256;
const connectMs = 10_000;
/** Google front ends allow 100 streams per connection; more are not used even if a server allows them. */
const streamsMax = 100;

interface ConnectionOptions {
  readonly endpoint: URL;
  readonly keepalive: KeepaliveOptions;
  readonly timers: Timers;
  /** The server closed the connection because it was pinged too often. */
  readonly tooManyPings: () => void;
  /** The last stream was closed. */
  readonly idle: (connection: GrpcConnection) => void;
  readonly closed: (connection: GrpcConnection) => void;
}

/** One HTTP/2 connection to the source. It is never reconnected: see `ConnectionPool`. */
export class GrpcConnection {
  readonly #options: ConnectionOptions;
  readonly #session: ClientHttp2Session;
  readonly #keepalive: Keepalive;
  #streams = 0;
  #isOpen = false;
  /** Code and reason of a GOAWAY, or `silent` if the peer stopped responding. */
  #ending: { readonly code: number; readonly reason: string } | 'silent' | undefined;

  /** Nothing is sent before `opened` resolves. */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { endpoint, keepalive, timers, closed } = options;
    // Loaded on first use: most API functions never read a source and start faster without it.
    this.#session = process.getBuiltinModule('node:http2').connect(endpoint, {
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
      maxSessionMemory: sessionMemoryMb,
    });
    const session = this.#session;
    const peer = {
      ping: (acknowledged: (error: Error | null) => void) => !session.destroyed && session.ping(acknowledged),
      lost: () => {
        this.#ending = 'silent';
        this.destroy();
      },
    };
    this.#keepalive = new Keepalive(peer, keepalive, timers);
    session.on('error', () => {});
    session.on('goaway', (code: number, _lastStreamId: number, data?: Buffer) => this.#goaway(code, data?.toString() ?? ''));
    session.on('close', () => {
      this.#keepalive.stop();
      closed(this);
    });
  }

  /** Waits for the server's SETTINGS: streams beyond a limit that is not yet known would be rejected. */
  opened(): Promise<void> {
    const { timers } = this.#options;
    const session = this.#session;
    return new Promise((resolve, reject) => {
      const timer = timers.set(() => session.destroy(), connectMs);
      let cause: unknown;
      session.once('error', (error) => {
        cause = error;
      });
      session.once('connect', () => session.setLocalWindowSize(sessionWindowBytes));
      session.once('remoteSettings', () => {
        timers.clear(timer);
        this.#isOpen = true;
        resolve();
      });
      session.once('close', () => {
        timers.clear(timer);
        reject(new RpcError('UNAVAILABLE', 'The source cannot be reached.', { cause }));
      });
    });
  }

  /** Whether another call may start here. */
  get hasRoom(): boolean {
    const session = this.#session;
    if (!this.#isOpen || this.#ending || session.closed || session.destroyed) return false;
    return this.#streams < Math.min(streamsMax, session.remoteSettings.maxConcurrentStreams ?? streamsMax);
  }

  /** Throws if the session has ended in the meantime. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const scheme = this.#options.endpoint.protocol.slice(0, -1);
    const stream = this.#session.request({ ':method': 'POST', ':scheme': scheme, ...headers });
    this.#streams += 1;
    this.#keepalive.start();
    stream.once('close', () => {
      this.#streams -= 1;
      if (this.#streams > 0) return;
      this.#keepalive.stop();
      this.#options.idle(this);
    });
    return stream;
  }

  /** A stream received headers or data. */
  received(): void {
    this.#keepalive.received();
  }

  /** Accepts no more calls; those under way continue. */
  drain(): void {
    this.#session.close();
  }

  /** Ends every call under way. */
  destroy(): void {
    this.#session.destroy();
  }

  /** The status of a call that ended without one: by a RST_STREAM, by a GOAWAY, or with the connection. */
  failureOf(stream: ClientHttp2Stream, cause: unknown): RpcError {
    if (this.#ending === 'silent')
      return new RpcError('UNAVAILABLE', 'The connection to the source stopped responding.', { cause });
    if (this.#ending?.code === calm) {
      if (this.#ending.reason === tooManyPings)
        return new RpcError('UNAVAILABLE', 'The source closed the connection: too many pings.', { cause });
      return new RpcError('RESOURCE_EXHAUSTED', `The source asks for fewer requests: ${this.#ending.reason}`.trim(), { cause });
    }
    if (stream.rstCode === calm)
      return new RpcError('RESOURCE_EXHAUSTED', 'The source asks for fewer requests on this stream.', { cause });
    return new RpcError('UNAVAILABLE', 'The connection to the source was lost.', { cause });
  }

  #goaway(code: number, reason: string): void {
    this.#ending ??= { code, reason };
    if (code === calm && reason === tooManyPings) this.#options.tooManyPings();
  }
}

/** RFC 9113, section 7: ENHANCE_YOUR_CALM. Any other code counts as a lost stream (UNAVAILABLE). */
const calm = 0xb;
const tooManyPings = 'too_many_pings';
