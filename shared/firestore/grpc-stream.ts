import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { cancelled } from './error.ts';
import type { FrameBuffer } from './frame-buffer.ts';
import { failureOf, failureOfHttp, RpcError } from './status.ts';

/** RFC 9113, section 7: CANCEL. */
const http2Cancel = 8;

/** How much to take before looking at it, and how long to wait for anything at all. */
export interface StreamOptions {
  readonly wantedBytes: number;
  readonly silenceMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The answer of a call, taken at the reader's pace: bytes gather in the buffer up to the wanted amount, then the server has to
 * wait. A call succeeds only with a status of OK after all its bytes; anything else is a failure, also a stream that just ends.
 */
export class GrpcStream {
  readonly #stream: ClientHttp2Stream;
  readonly #buffer: FrameBuffer;
  readonly #options: StreamOptions;
  #status: { readonly failure: RpcError | undefined } | undefined;
  #wantedBytes = 0;
  #hasEnded = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: ClientHttp2Stream, buffer: FrameBuffer, options: StreamOptions) {
    this.#stream = stream;
    this.#buffer = buffer;
    this.#options = options;
    stream.on('response', (headers) => this.#head(headers));
    stream.on('trailers', (headers) => this.#settle(failureOf(headers)));
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('end', () => {
      this.#hasEnded = true;
    });
    stream.on('error', (error) => this.#settle(lost(error)));
    stream.on('close', () => this.#end());
    stream.pause();
    options.signal?.addEventListener('abort', this.#abort);
    if (stream.destroyed) this.#isOver = true;
  }

  /** Whether nothing more will come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Why the call failed; undefined when it went well. To be asked when it is over. */
  get failure(): RpcError | undefined {
    if (!this.#status) return lost();
    return this.#status.failure ?? (this.#hasEnded ? undefined : lost());
  }

  /** Resolves when the wanted bytes have gathered or the call is over. */
  async wait(): Promise<void> {
    // A message larger than what is wanted has to come whole all the same.
    this.#wantedBytes = Math.max(this.#options.wantedBytes, this.#buffer.firstFrameBytes);
    if (!this.#isOver && !this.#isFull) {
      this.#timer = setTimeout(() => this.#giveUp(), this.#options.silenceMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#stream.resume();
      });
      clearTimeout(this.#timer);
    }
    if (this.#options.signal?.aborted) throw cancelled();
  }

  /** Tells the server that nobody reads on; of a call that is over nothing is left to tell. */
  cancel(): void {
    this.#options.signal?.removeEventListener('abort', this.#abort);
    if (!this.#stream.closed) this.#stream.close(http2Cancel);
    this.#stream.destroy();
  }

  get #isFull(): boolean {
    return this.#buffer.filled >= this.#wantedBytes;
  }

  readonly #abort = (): void => {
    this.cancel();
    this.#end();
  };

  #head(headers: IncomingHttpHeaders & { ':status'?: number | undefined }): void {
    if (headers['grpc-status'] !== undefined) this.#settle(failureOf(headers));
    else if (headers[':status'] !== 200) this.#settle(failureOfHttp(Number(headers[':status'])));
  }

  #take(chunk: Buffer): void {
    this.#buffer.push(chunk);
    this.#timer?.refresh();
    if (!this.#isFull) return;
    this.#stream.pause();
    this.#go();
  }

  /** What came first counts: a stream that is torn down after its status has failed in no other way. */
  #settle(failure: RpcError | undefined): void {
    this.#status ??= { failure };
  }

  #giveUp(): void {
    this.#settle(new RpcError('DEADLINE_EXCEEDED', 'The source sent nothing for too long.'));
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

const lost = (cause?: unknown): RpcError => new RpcError('UNAVAILABLE', 'The connection to the source was lost.', { cause });
