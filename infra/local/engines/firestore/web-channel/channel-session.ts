import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Bidi, bytesOf, type Message, RpcError } from '../base/types.ts';
import { StreamQueue } from '../listen/stream-queue.ts';
import { jsonOfMessage, jsonText, messageOfJson } from '../web/encode-json.ts';
import { restError } from '../web/rest.ts';
import { BackChannel, chunkOf, maxResponseSize } from './back-channel.ts';
import type { ForwardData } from './forward-data.ts';
import { Outbox } from './outbox.ts';

/** Silence after which a message without contents shows that the connection works. Clients wait for one and a half times as long. */
const keepAliveMs = 30_000;
/** A client that does not ask for messages for so long has gone. */
export const awayMs = 60_000;
/** Characters of requests that wait: several of the largest requests. */
const maxWaiting = 64 << 20;
const protocolVersion = 8;
const serverVersion = 12;

const noop = '["noop"]';
/** Ends the channel without an error. */
const close = '["close"]';

/** A method with messages in both directions. */
export interface ChannelMethod {
  /** `Listen` or `Write`. */
  readonly name: string;
  readonly run: Bidi;
}

interface SessionOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, when nothing of the session is left. */
  readonly onEnd: (session: ChannelSession) => void;
  /** Receives internal errors. */
  readonly log: (error: unknown) => void;
  readonly awayMs: number;
}

/** The request for messages. */
export interface BackRequest {
  readonly lastId: number;
  readonly isStreaming: boolean;
  /** How long the client wants to wait when it polls. */
  readonly timeoutMs: number | undefined;
}

/** A call over WebChannel: requests come with the POSTs of a client, and responses wait for its GET. */
export class ChannelSession {
  readonly id: string = randomUUID();
  readonly #method: ChannelMethod;
  readonly #options: SessionOptions;
  readonly #requests = new StreamQueue<{ readonly bytes: Uint8Array; readonly size: number }>();
  readonly #outbox = new Outbox();
  readonly #controller = new AbortController();
  #waitingSize = 0;
  #nextRequest = 0;
  #isOver = false;
  #back: BackChannel | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasRoom: (() => void) | undefined;

  constructor(method: ChannelMethod, options: SessionOptions) {
    this.#method = method;
    this.#options = options;
    this.#leave();
    void this.#answer();
  }

  /** Whether a client waits for messages. */
  get isAwaited(): boolean {
    return this.#back !== undefined;
  }

  /** The answer to the first request. */
  get handshake(): string {
    return chunkOf(JSON.stringify([[0, ['c', this.id, '', protocolVersion, serverVersion, keepAliveMs]]]));
  }

  /** Takes requests, each once: a client repeats those whose answer it has not seen. */
  receive({ offset, messages }: ForwardData): void {
    if (offset > this.#nextRequest) throw new RpcError('INVALID_ARGUMENT', `ofs: ${this.#nextRequest} is missing`);
    for (const message of messages.slice(this.#nextRequest - offset)) {
      this.#nextRequest += 1;
      if (this.#isOver) continue;
      this.#waitingSize += message.length;
      try {
        if (this.#waitingSize > maxWaiting) throw new RpcError('RESOURCE_EXHAUSTED', 'Too many requests wait.');
        this.#requests.put({ bytes: messageOfJson(`${this.#method.name}Request`, parsed(message)), size: message.length });
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  acknowledge(lastId: number): void {
    this.#outbox.acknowledge(lastId);
    if (this.#outbox.size < maxResponseSize) this.#hasRoom?.();
  }

  /** The answer to a later POST: whether a client waits for messages, and what it has not acknowledged. */
  get state(): string {
    return chunkOf(JSON.stringify([this.isAwaited ? 1 : 0, this.#outbox.lastId, this.#outbox.size]));
  }

  /** Sends messages with this response, beginning with those that the client has not seen. */
  attach(response: ServerResponse, { lastId, isStreaming, timeoutMs = keepAliveMs }: BackRequest): void {
    // A client has one such request; it has given up the one before.
    this.#back?.end();
    const back = new BackChannel(response, { isStreaming, lastId });
    this.#back = back;
    this.acknowledge(lastId);
    response.on('close', () => {
      if (this.#back === back) this.#leave();
    });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send([noop]), Math.min(keepAliveMs, timeoutMs));
    // A client that receives nothing at first takes the connection for one that is buffered, and polls.
    if (isStreaming && this.#outbox.size === 0) this.#outbox.add(noop);
    this.#flush();
  }

  end(): void {
    if (this.#controller.signal.aborted) return;
    this.#controller.abort(new RpcError('CANCELLED', 'The client cancelled the call.'));
    clearTimeout(this.#timer);
    this.#requests.close();
    this.#hasRoom?.();
    this.#back?.end();
    this.#back = undefined;
    this.#options.onEnd(this);
  }

  async #answer(): Promise<void> {
    const { headers, log } = this.#options;
    const { signal } = this.#controller;
    try {
      for await (const batch of this.#method.run(this.#taken(), { headers, signal })) {
        for (const part of partsOf(batch)) {
          if (signal.aborted) return;
          this.#send(part.map((message) => this.#textOf(message)));
          await this.#room();
        }
      }
      if (!this.#isOver) this.#finish(close);
    } catch (error) {
      if (signal.aborted || this.#isOver) return;
      if (restError(error).httpStatus === 500) log(error);
      this.#fail(error);
    }
  }

  async *#taken(): AsyncGenerator<Uint8Array> {
    for await (const { bytes, size } of this.#requests.take()) {
      this.#waitingSize -= size;
      yield bytes;
    }
  }

  #textOf(message: Message): string {
    return `[${jsonText(jsonOfMessage(`${this.#method.name}Response`, bytesOf(message), 'name'), 0)}]`;
  }

  /** Tells the client the error. It ends the channel then. */
  #fail(error: unknown): void {
    this.#finish(`[${JSON.stringify(restError(error).body)}]`);
  }

  #finish(last: string): void {
    this.#send([last]);
    this.#isOver = true;
    this.#requests.close();
  }

  #send(texts: readonly string[]): void {
    if (this.#controller.signal.aborted) return;
    for (const text of texts) this.#outbox.add(text);
    this.#flush();
  }

  #flush(): void {
    const back = this.#back;
    const messages = back && this.#outbox.after(back.lastId);
    if (!back || messages === undefined) return;
    this.#timer?.refresh();
    if (!back.send(messages, this.#outbox.lastId)) this.#leave();
  }

  /** No client waits for messages. */
  #leave(): void {
    this.#back = undefined;
    clearTimeout(this.#timer);
    if (this.#controller.signal.aborted) return;
    this.#timer = setTimeout(() => this.end(), this.#options.awayMs);
    this.#timer.unref();
  }

  /** Resolves when the client has acknowledged enough. */
  async #room(): Promise<void> {
    while (this.#outbox.size >= maxResponseSize && !this.#controller.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#hasRoom = resolve;
      });
  }
}

/** A batch in parts of some messages, so that large documents do not wait in memory all at once. */
function* partsOf(batch: readonly Message[]): Generator<readonly Message[]> {
  let part: Message[] = [];
  let bytes = 0;
  for (const message of batch) {
    part.push(message);
    bytes += message.length;
    if (bytes < maxPartBytes) continue;
    yield part;
    [part, bytes] = [[], 0];
  }
  if (part.length > 0) yield part;
}

const maxPartBytes = 256 << 10;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RpcError('INVALID_ARGUMENT', `Invalid JSON payload received. ${(error as Error).message}`);
  }
};
