/** Upper limit of the server: counts the messages of the same scan without decoding them. */
import { connect } from 'node:http2';
import { runQuery } from '../../../../shared/firestore/wire/query-requests.ts';
import type { Outcome, Task } from '../bench-processes.ts';
import { serve } from './serve-tasks.ts';

const run = ({ url, project, readTime }: Task): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const session = connect(url, { settings: { initialWindowSize: 4 << 20 } });
    session.on('connect', () => session.setLocalWindowSize(64 << 20));
    const headers = { ':method': 'POST', ':path': '/google.firestore.v1.Firestore/RunQuery', 'content-type': 'application/grpc' };
    const stream = session.request({ ...headers, te: 'trailers' });
    const counter = new MessageCounter();
    stream.on('data', (chunk: Buffer) => counter.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      session.close();
      resolve({ documents: counter.messages, bytes: counter.bytes, stored: 0 });
    });
    const request = runQuery({ root: `projects/${project}/databases/(default)/documents`, readTime }, { range: {} });
    const length = Buffer.alloc(5);
    length.writeUInt32BE(request.length, 1);
    stream.end(Buffer.concat([length, request]));
  });

/** Counts messages by their headers. */
class MessageCounter {
  messages = 0;
  bytes = 0;
  #skip = 0;
  readonly #header = Buffer.alloc(5);
  #filled = 0;

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const step = Math.min(this.#skip, chunk.length - at);
      this.#skip -= step;
      at += step;
      if (this.#skip > 0) return;
      const copied = chunk.copy(this.#header, this.#filled, at, at + 5 - this.#filled);
      this.#filled += copied;
      at += copied;
      if (this.#filled < 5) return;
      this.#filled = 0;
      this.#skip = this.#header.readUInt32BE(1);
      this.messages += 1;
      this.bytes += this.#skip;
    }
  }
}

serve(run);
