import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { RpcError } from './status.ts';

/** What a stream may send ahead while nobody reads: bounds memory, and at 20 ms of round trip still lets 200 MB/s through. */
const streamWindowBytes = 4 << 20;
const sessionWindowBytes = 64 << 20;
/** Node's own 10 refuses new calls while requests of 10 MiB are still on their way out. */
const sessionMemoryMb = 256;
const connectMs = 10_000;

/** One HTTP/2 connection to the source, made when needed and made anew when the server has left it. */
export class Connection {
  readonly #endpoint: URL;
  readonly #open = new Set<ClientHttp2Session>();
  #session: Promise<ClientHttp2Session> | undefined;

  constructor(endpoint: string) {
    this.#endpoint = new URL(endpoint);
    const { protocol, hostname } = this.#endpoint;
    // A token in clear must not leave the machine.
    if (protocol !== 'https:' && !(protocol === 'http:' && loopback.has(hostname)))
      throw new TypeError('the endpoint of a source is https, or http on a loopback address');
  }

  async request(headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
    this.#session ??= this.#connect();
    const session = await this.#session;
    try {
      return session.request({ ':method': 'POST', ':scheme': this.#endpoint.protocol.slice(0, -1), ...headers });
    } catch (error) {
      this.discard();
      throw new RpcError('UNAVAILABLE', 'The connection to the source was lost.', { cause: error });
    }
  }

  /** Takes no more calls on the present connection; those under way go on. */
  discard(): void {
    const session = this.#session;
    this.#session = undefined;
    session?.then(
      (one) => one.close(),
      () => {},
    );
  }

  /** Ends every call under way. */
  close(): void {
    this.#session = undefined;
    for (const session of this.#open) session.destroy();
  }

  #connect(): Promise<ClientHttp2Session> {
    const connecting = new Promise<ClientHttp2Session>((resolve, reject) => {
      // Loaded when it is needed: most calls of the API that could read a source do not, and would start later for it.
      const session = process.getBuiltinModule('node:http2').connect(this.#endpoint, {
        settings: { enablePush: false, initialWindowSize: streamWindowBytes },
        maxSessionMemory: sessionMemoryMb,
      });
      this.#open.add(session);
      const leave = (cause?: unknown): void => {
        clearTimeout(timer);
        if (this.#session === connecting) this.#session = undefined;
        reject(new RpcError('UNAVAILABLE', 'The source cannot be reached.', { cause }));
      };
      const timer = setTimeout(() => session.destroy(), connectMs);
      session.once('connect', () => {
        clearTimeout(timer);
        session.setLocalWindowSize(sessionWindowBytes);
        resolve(session);
      });
      session.on('error', leave);
      session.on('goaway', () => leave());
      session.on('close', () => {
        this.#open.delete(session);
        leave();
      });
    });
    return connecting;
  }
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);
