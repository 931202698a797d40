import type { Timer, Timers } from '../../platform/index.ts';

export interface KeepaliveOptions {
  /** A connection with open streams that received nothing for so long is pinged. Google's front ends accept 30 s. */
  readonly intervalMs: number;
  /** The peer counts as dead if it neither acknowledges the ping nor sends anything within this time. */
  readonly timeoutMs: number;
}

/** Together below the 75 s after which a silent call gives up, which distinguishes a dead peer from a slow query. */
export const keepaliveDefaults: KeepaliveOptions = { intervalMs: 30_000, timeoutMs: 20_000 };

interface KeepalivePeer {
  /** Sends a PING; the callback gets an error if the session ended first. Returns false if the PING was not sent. */
  ping(acknowledged: (error: Error | null) => void): boolean;
  /** The peer is dead. */
  lost(): void;
}

/**
 * HTTP/2 keepalive of one connection. Pings only while streams are open, because servers answer pings on idle connections with
 * GOAWAY too_many_pings. Received headers and data count as an acknowledgement.
 */
export class Keepalive {
  readonly #peer: KeepalivePeer;
  readonly #options: KeepaliveOptions;
  readonly #timers: Timers;
  #receivedAtMs: number;
  #isActive = false;
  #timer: Timer | undefined;

  constructor(peer: KeepalivePeer, options: KeepaliveOptions, timers: Timers) {
    this.#peer = peer;
    this.#options = options;
    this.#timers = timers;
    this.#receivedAtMs = timers.now();
  }

  /** The first stream was opened. A connection that was idle for longer than the interval is pinged at once. */
  start(): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#schedule();
  }

  /** The last stream was closed. */
  stop(): void {
    this.#isActive = false;
    this.#timers.clear(this.#timer);
    this.#timer = undefined;
  }

  /** Headers or data arrived. */
  received(): void {
    this.#receivedAtMs = this.#timers.now();
  }

  get #dueInMs(): number {
    return this.#receivedAtMs + this.#options.intervalMs - this.#timers.now();
  }

  #schedule(): void {
    this.#arm(() => (this.#dueInMs > 0 ? this.#schedule() : this.#ping()), Math.max(0, this.#dueInMs));
  }

  #ping(): void {
    const sentAtMs = this.#timers.now();
    // A PING that cannot be sent still times out: too many are unacknowledged.
    this.#peer.ping((error) => {
      if (error) return;
      this.received();
      if (this.#isActive) this.#schedule();
    });
    this.#arm(() => {
      // The process may have been suspended: reads buffered socket data before it decides.
      setImmediate(() => {
        if (!this.#isActive) return;
        if (this.#receivedAtMs > sentAtMs) this.#schedule();
        else this.#peer.lost();
      });
    }, this.#options.timeoutMs);
  }

  #arm(callback: () => void, delayMs: number): void {
    this.#timers.clear(this.#timer);
    this.#timer = this.#timers.set(callback, delayMs);
    this.#timer.unref();
  }
}
