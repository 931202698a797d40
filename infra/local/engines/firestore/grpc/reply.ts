import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Message, RpcError } from '../base/types.ts';
import { frame } from './frames.ts';
import { responseHeaders, statusHeaders } from './headers.ts';

/** The response of a call: headers before the first message, exactly one status, nothing after the client left. */
export class Reply {
  readonly #stream: ServerHttp2Stream;
  #finished = false;
  #resume: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
    stream.on('drain', () => this.#go());
    stream.on('close', () => this.#go());
  }

  /** Whether the call has its status, sent or not. */
  get isFinished(): boolean {
    return this.#finished;
  }

  /** Whether nothing more can be sent. */
  get isDone(): boolean {
    return this.#finished || this.#stream.destroyed || this.#stream.closed;
  }

  begin(): void {
    if (!this.#stream.headersSent && !this.isDone) this.#stream.respond(responseHeaders, { waitForTrailers: true });
  }

  /** Writes a batch at once; resolves when the client can take more or is gone. */
  send(messages: readonly Message[]): Promise<void> | undefined {
    if (this.isDone || messages.length === 0) return;
    this.begin();
    if (this.#stream.write(frame(messages))) return;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Sends the response of a unary call with its status. */
  only(message: Uint8Array): void {
    if (this.isDone) return;
    this.begin();
    this.#end(statusHeaders('OK', ''), frame([message]));
  }

  succeed(): void {
    if (this.isDone) return;
    this.begin();
    this.#end(statusHeaders('OK', ''));
  }

  fail(error: RpcError): void {
    if (this.isDone) return;
    const trailers = statusHeaders(error.code, error.message);
    if (this.#stream.headersSent) {
      this.#end(trailers);
      return;
    }
    this.#finish();
    this.#stream.respond({ ...responseHeaders, ...trailers }, { endStream: true });
    this.#dismiss();
  }

  #end(trailers: OutgoingHttpHeaders, last?: Buffer): void {
    this.#finish();
    this.#stream.once('wantTrailers', () => {
      this.#stream.sendTrailers(trailers);
      this.#dismiss();
    });
    if (last) this.#stream.end(last);
    else this.#stream.end();
  }

  #finish(): void {
    this.#finished = true;
    this.#go();
  }

  #go(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Tells a client that is still sending that the rest is not read. */
  #dismiss(): void {
    if (this.#stream.readableEnded) return;
    this.#stream.resume();
    this.#stream.once('finish', () => setImmediate(() => this.#stream.close(constants.NGHTTP2_NO_ERROR)));
  }
}
