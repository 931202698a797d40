import type { ServerResponse } from 'node:http';

/** A response ends after this many characters: a browser keeps all of them, and acknowledges them when it asks again. */
export const maxResponseSize = 2 << 20;

/** A chunk of a response. The length counts UTF-16 code units, as a browser does. */
export const chunkOf = (text: string): string => `${text.length}\n${text}`;

interface BackChannelOptions {
  /** Otherwise the response ends with its first messages (long polling). */
  readonly isStreaming: boolean;
  /** The last message that the client has. */
  readonly lastId: number;
}

/** The request with which a client waits for messages. */
export class BackChannel {
  readonly #response: ServerResponse;
  readonly #isStreaming: boolean;
  #lastId: number;
  #size = 0;

  constructor(response: ServerResponse, { isStreaming, lastId }: BackChannelOptions) {
    this.#response = response;
    this.#isStreaming = isStreaming;
    this.#lastId = lastId;
    // The client may leave at any time.
    response.on('error', () => {});
    if (isStreaming) response.flushHeaders();
  }

  /** The last message that was sent. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Sends an array of messages. Returns whether the response takes more. */
  send(messages: string, lastId: number): boolean {
    this.#response.write(chunkOf(messages));
    this.#lastId = lastId;
    this.#size += messages.length;
    const takesMore = this.#isStreaming && this.#size < maxResponseSize;
    if (!takesMore) this.end();
    return takesMore;
  }

  end(): void {
    this.#response.end();
  }
}
