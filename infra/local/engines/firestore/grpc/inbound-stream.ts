import type { ServerHttp2Stream } from 'node:http2';
import type { Unframer } from './frames.ts';
import { rpcErrorOf } from './headers.ts';
import type { Reply } from './reply.ts';

/** Back-pressure applies from this many unread messages. */
const maxWaiting = 16;

/** The messages of a bidirectional call, in order. Ends when the client half-closes or leaves. */
export class InboundStream implements AsyncIterable<Uint8Array> {
  readonly #stream: ServerHttp2Stream;
  readonly #waiting: Uint8Array[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream, unframer: Unframer, reply: Reply) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      if (reply.isDone) return;
      try {
        this.#waiting.push(...unframer.push(chunk));
      } catch (error) {
        reply.fail(rpcErrorOf(error));
        this.#end();
        return;
      }
      if (this.#waiting.length > maxWaiting) stream.pause();
      this.#wake?.();
    });
    stream.on('end', () => this.#end());
    stream.on('close', () => this.#end());
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#ended) return;
      else {
        this.#stream.resume();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }
}
