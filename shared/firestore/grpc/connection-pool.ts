import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { systemTimers, type Timers } from '../../platform/index.ts';
import { GrpcConnection } from './connection.ts';
import { type KeepaliveOptions, keepaliveDefaults } from './keepalive.ts';
import { RpcError } from './status.ts';

interface PoolOptions {
  readonly endpoint: string;
  readonly keepalive?: Partial<KeepaliveOptions> | undefined;
  readonly timers?: Timers | undefined;
}

/**
 * Connections to one source: the first call opens one, and another is opened whenever all are full. A connection that receives
 * GOAWAY or stops responding takes no more calls.
 */
export class ConnectionPool {
  readonly #endpoint: URL;
  readonly #timers: Timers;
  readonly #connections = new Set<GrpcConnection>();
  #keepalive: KeepaliveOptions;
  #opening: Promise<void> | undefined;

  constructor({ endpoint, keepalive, timers = systemTimers }: PoolOptions) {
    this.#endpoint = new URL(endpoint);
    this.#timers = timers;
    this.#keepalive = { ...keepaliveDefaults, ...keepalive };
    const { protocol, hostname } = this.#endpoint;
    // A clear-text token must not leave the machine.
    if (protocol !== 'https:' && !(protocol === 'http:' && loopback.has(hostname)))
      throw new TypeError('the endpoint must be https, or http on a loopback address');
  }

  /** Number of connections, including those that only finish their calls. */
  get size(): number {
    return this.#connections.size;
  }

  /** Doubles each time the server reports too many pings. */
  get keepaliveIntervalMs(): number {
    return this.#keepalive.intervalMs;
  }

  async request(
    headers: OutgoingHttpHeaders,
  ): Promise<{ readonly connection: GrpcConnection; readonly stream: ClientHttp2Stream }> {
    for (;;) {
      const connection = this.#withRoom();
      if (connection) return { connection, stream: begin(connection, headers) };
      // Waiting callers share the new connection; if it is full again, they open the next one.
      this.#opening ??= this.#open();
      await this.#opening;
    }
  }

  /** Ends every call under way. */
  close(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #withRoom(except?: GrpcConnection): GrpcConnection | undefined {
    for (const connection of this.#connections) if (connection !== except && connection.hasRoom) return connection;
    return undefined;
  }

  async #open(): Promise<void> {
    const connection = new GrpcConnection({
      endpoint: this.#endpoint,
      keepalive: this.#keepalive,
      timers: this.#timers,
      tooManyPings: () => {
        this.#keepalive = { ...this.#keepalive, intervalMs: 2 * this.#keepalive.intervalMs };
      },
      idle: (one) => {
        // Was opened for a burst that has ended.
        if (this.#withRoom(one)) one.drain();
      },
      closed: (one) => this.#connections.delete(one),
    });
    this.#connections.add(connection);
    try {
      await connection.opened();
      // An immediate retry would loop forever; a failed call backs off.
      if (!connection.hasRoom) throw new RpcError('UNAVAILABLE', 'The source accepts no calls on a new connection.');
    } finally {
      this.#opening = undefined;
    }
  }
}

const begin = (connection: GrpcConnection, headers: OutgoingHttpHeaders): ClientHttp2Stream => {
  try {
    return connection.request(headers);
  } catch (error) {
    connection.drain();
    throw new RpcError('UNAVAILABLE', 'The connection to the source was lost.', { cause: error });
  }
};

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);
