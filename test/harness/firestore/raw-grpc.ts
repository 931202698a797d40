import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { frame, Unframer } from '../../../infra/local/engines/firestore/grpc/frames.ts';

/** The end of a call and the preceding messages. */
interface RawAnswer {
  readonly messages: readonly Buffer[];
  /** grpc-status; undefined if the stream was reset. */
  readonly status: number | undefined;
  readonly message: string;
  readonly httpStatus: number;
  /** Whether the status came in the headers (Trailers-Only). */
  readonly isTrailersOnly: boolean;
}

const path = (method: string): string => (method.startsWith('/') ? method : `/google.firestore.v1.Firestore/${method}`);

/** A low-level gRPC client: sends the given bytes and returns the received bytes. */
export class RawGrpc {
  readonly session: ClientHttp2Session;

  constructor(url: string) {
    this.session = connect(url);
    this.session.on('error', () => {});
  }

  open(method: string, headers: OutgoingHttpHeaders = {}) {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': path(method),
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    stream.on('error', () => {});
    return stream;
  }

  /** Sends whole messages and waits for the end. */
  call(method: string, messages: readonly Uint8Array[], headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    return this.send(method, frame(messages), headers);
  }

  /** Sends any bytes as the body. */
  send(method: string, body: Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
    const stream = this.open(method, headers);
    const answer = collect(stream);
    stream.end(body);
    return answer;
  }

  close(): void {
    this.session.destroy();
  }
}

/** Reads a stream to its end. */
export function collect(stream: ReturnType<RawGrpc['open']>): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const unframer = new Unframer();
    const messages: Buffer[] = [];
    let head: Record<string, unknown> = {};
    let tail: Record<string, unknown> = {};
    stream.on('response', (headers) => {
      head = headers;
    });
    stream.on('trailers', (headers) => {
      tail = headers;
    });
    stream.on('data', (chunk: Buffer) => messages.push(...unframer.push(chunk)));
    stream.on('close', () => {
      const isTrailersOnly = head['grpc-status'] !== undefined;
      const end = isTrailersOnly ? head : tail;
      const status = end['grpc-status'];
      resolve({
        messages,
        status: status === undefined ? undefined : Number(status),
        message: decodeURIComponent(String(end['grpc-message'] ?? '')),
        httpStatus: Number(head[':status']),
        isTrailersOnly,
      });
    });
  });
}
