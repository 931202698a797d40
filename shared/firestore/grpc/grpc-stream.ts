import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Timer, Timers } from '../../platform/index.ts';
import type { Availability } from './availability.ts';
import type { GrpcConnection } from './connection.ts';
import type { FrameBuffer } from './frame-buffer.ts';
import { cancelled } from './source-error.ts';
import { failureOfHttp, RpcError, rpcErrorOf } from './status.ts';

/** RFC 9113, section 7: CANCEL. */
const http2Cancel = 8;

interface StreamOptions {
  readonly connection: GrpcConnection;
  readonly timers: Timers;
  readonly wantedBytes: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
  /** Learns for how long the call receives nothing. */
  readonly availability?: Availability;
}

/**
 * The response of a call with flow control: bytes accumulate up to the wanted amount, then the stream pauses. A call succeeds
 * only with status OK after all its bytes; a stream that just ends has failed.
 */
export class GrpcStream {
  readonly #stream: ClientHttp2Stream;
  readonly #buffer: FrameBuffer;
  readonly #options: StreamOptions;
  #status: { readonly failure: RpcError | undefined } | undefined;
  /** The error of a stream that was reset or whose connection was lost. */
  #error: unknown;
  #wantedBytes = 0;
  #hasEnded = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #waiting: ReturnType<Availability['wait']> | undefined;

  constructor(stream: ClientHttp2Stream, buffer: FrameBuffer, options: StreamOptions) {
    this.#stream = stream;
    this.#buffer = buffer;
    this.#options = options;
    stream.on('response', (headers) => this.#head(headers));
    stream.on('trailers', (headers) => this.#settle(rpcErrorOf(headers)));
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('end', () => {
      this.#hasEnded = true;
    });
    stream.on('error', (error) => {
      this.#error ??= error;
    });
    stream.on('close', () => this.#end());
    stream.pause();
    options.signal?.addEventListener('abort', this.#abort);
    if (stream.destroyed) this.#isOver = true;
  }

  /** Whether the call has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Why the call failed, or undefined on success. Valid once the call is over. */
  get failure(): RpcError | undefined {
    if (this.#status && (this.#status.failure || this.#hasEnded)) return this.#status.failure;
    return this.#options.connection.failureOf(this.#stream, this.#error);
  }

  /** Resolves when the wanted bytes have arrived or the call is over. */
  async wait(): Promise<void> {
    // A message larger than the wanted amount must still arrive whole.
    this.#wantedBytes = Math.max(this.#options.wantedBytes, this.#buffer.firstFrameBytes);
    if (!this.#isOver && !this.#isFull) {
      const { timers, silenceMs, availability } = this.#options;
      this.#waiting = availability?.wait();
      this.#timer = timers.set(() => this.#silent(), silenceMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#stream.resume();
      });
      timers.clear(this.#timer);
      this.#waiting?.end();
    }
    if (this.#options.signal?.aborted) throw cancelled();
  }

  /** Cancels the call; does nothing once it is over. */
  cancel(): void {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    if (!this.#stream.closed) this.#stream.close(http2Cancel);
    this.#stream.destroy();
  }

  /** Stops new calls on a connection that no longer responds. Other connections are not affected. */
  suspect({ status }: RpcError): void {
    if (status === 'DEADLINE_EXCEEDED' || status === 'UNAVAILABLE') this.#options.connection.drain();
  }

  get #isFull(): boolean {
    return this.#buffer.filled >= this.#wantedBytes;
  }

  readonly #abort = (): void => {
    this.cancel();
    this.#end();
  };

  #head(headers: IncomingHttpHeaders & { ':status'?: number | undefined }): void {
    this.#options.connection.received();
    if (headers['grpc-status'] !== undefined) this.#settle(rpcErrorOf(headers));
    else if (headers[':status'] !== 200) this.#settle(failureOfHttp(Number(headers[':status'])));
  }

  #take(chunk: Buffer): void {
    this.#options.connection.received();
    this.#buffer.push(chunk);
    this.#timer?.refresh();
    this.#waiting?.received();
    if (!this.#isFull) return;
    this.#stream.pause();
    this.#go();
  }

  /** The first status wins: tearing down the stream afterwards does not change it. */
  #settle(failure: RpcError | undefined): void {
    this.#status ??= { failure };
  }

  /** The process may have been suspended or busy: reads buffered socket data before it decides. */
  #silent(): void {
    const wake = this.#wake;
    const { filled } = this.#buffer;
    setImmediate(() => {
      if (wake && wake === this.#wake && filled === this.#buffer.filled) this.#giveUp();
    });
  }

  #giveUp(): void {
    this.#settle(new RpcError('DEADLINE_EXCEEDED', 'The source sent no data for too long.'));
    this.cancel();
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#go();
  }

  #go(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
