import type { FirestoreDatabase } from '../firestore-database.ts';
import { FrameBuffer, headerBytes } from '../grpc/frame-buffer.ts';
import type { GrpcStream } from '../grpc/grpc-stream.ts';
import { RpcError } from '../grpc/status.ts';
import { ResponseSkim } from '../wire/response-skim.ts';
import { join, lastField, message, text } from '../wire/small-messages.ts';
import { encodeReadTime } from '../wire/timestamps.ts';

export interface GetOptions {
  /** The present unless given. */
  readonly readTime?: string | undefined;
  readonly signal: AbortSignal;
}

/** Names in one request; documents of 1 MiB make its answer large, but never larger than the names of a request are many. */
const namesMax = 300;
/** About what is gathered before it is looked at. */
const wantedBytes = 256 << 10;

/** The documents of these paths that the database has, by path, as it encodes them. Each path is billed as a read, found or not. */
export const getDocuments = async (
  source: FirestoreDatabase,
  paths: readonly string[],
  options: GetOptions,
): Promise<Map<string, Uint8Array>> => {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < paths.length; at += namesMax) {
    const part = await getWithin(source, paths.slice(at, at + namesMax), { ...options, maxBytes: Number.POSITIVE_INFINITY });
    for (const [path, document] of part.documents ?? []) found.set(path, document);
  }
  return found;
};

export interface Got {
  /** Undefined if they are larger than was allowed: ask for fewer at once. */
  readonly documents: Map<string, Uint8Array> | undefined;
  /** What the answer was billed as, as far as it came. */
  readonly reads: number;
}

/** The same in one request, given up as soon as its answer is larger than `maxBytes`: so whoever asks bounds the memory. */
export const getWithin = async (
  source: FirestoreDatabase,
  paths: readonly string[],
  { readTime, signal, maxBytes }: GetOptions & { readonly maxBytes: number },
): Promise<Got> => {
  const asked = new Set(paths);
  const request = join(
    text(1, source.database),
    ...Array.from(asked, (path) => text(2, `${source.root}/${path}`)),
    readTime === undefined ? undefined : message(7, encodeReadTime(readTime)),
  );
  const attempts = source.newRetryState(signal);
  for (;;) {
    const answer = new Answer(Buffer.byteLength(source.root) + 1, maxBytes);
    let stream: GrpcStream | undefined;
    try {
      stream = await source.startCall('BatchGetDocuments', request, answer.buffer, {
        refresh: attempts.needsToken,
        wantedBytes,
        signal,
      });
      if (!(await answer.gather(stream))) return { documents: undefined, reads: answer.answered };
      // A stream that ends is not one that has finished: each name is answered, by a document or by saying that there is none.
      if (answer.answered !== asked.size) throw new RpcError('INTERNAL', 'The source did not answer for every document.');
      return { documents: answer.documents, reads: answer.answered };
    } catch (error) {
      if (error instanceof RpcError) stream?.suspect(error);
      await attempts.failed(error);
    } finally {
      stream?.cancel();
    }
  }
};

/** What has come of one request. */
class Answer {
  readonly documents = new Map<string, Uint8Array>();
  /** Names told of. */
  answered = 0;
  readonly buffer = new FrameBuffer(wantedBytes);
  readonly #skim = new ResponseSkim();
  readonly #rootBytes: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(rootBytes: number, maxBytes: number) {
    this.#rootBytes = rootBytes;
    this.#maxBytes = maxBytes;
  }

  /** Takes all that comes; false if it is too much. */
  async gather(stream: GrpcStream): Promise<boolean> {
    for (;;) {
      await stream.wait();
      const { isOver } = stream;
      this.buffer.drop(this.#take());
      if (this.#bytes > this.#maxBytes) return false;
      if (!isOver) continue;
      if (stream.failure) throw stream.failure;
      if (this.buffer.filled > 0) throw new RpcError('INTERNAL', 'The answer of the source ended within a message.');
      return true;
    }
  }

  /** BatchGetDocumentsResponse { found = 1, missing = 2 }; answers where what is not whole begins. */
  #take(): number {
    const { bytes } = this.buffer;
    const skim = this.#skim;
    let at = 0;
    for (let end = this.buffer.frameEnd(at); end !== undefined; end = this.buffer.frameEnd(at)) {
      const from = at + headerBytes;
      if (skim.find(bytes, from, end)) {
        const path = bytes.toString('utf8', skim.nameStart + this.#rootBytes, skim.nameEnd);
        this.documents.set(path, Buffer.from(bytes.subarray(skim.start, skim.end)));
        this.#bytes += skim.end - skim.start;
        this.answered += 1;
      } else if (lastField(bytes.subarray(from, end), 2)) this.answered += 1;
      at = end;
    }
    return at;
  }
}
