import type { FirestoreDatabase } from '../firestore-database.ts';
import { FrameBuffer } from '../grpc/frame-buffer.ts';
import type { GrpcStream } from '../grpc/grpc-stream.ts';
import type { ReadBilling } from '../grpc/read-billing.ts';
import { RpcError } from '../grpc/status.ts';
import { ResponseSkim } from '../wire/response-skim.ts';
import { join, lastField, message, textField } from '../wire/small-messages.ts';
import { encodeReadTime } from '../wire/timestamps.ts';

interface GetOptions {
  /** Current time by default. */
  readonly readTime?: string | undefined;
  readonly signal: AbortSignal;
}

/** Names per request. */
const namesMax = 300;
/** Approximate number of bytes to buffer before they are decoded. */
const wantedBytes = 256 << 10;

/** Gets the existing documents of these paths, encoded, by path. Each path is billed as a read, found or not. */
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
  /** Undefined if they exceed `maxBytes`: request fewer at once. */
  readonly documents: Map<string, Uint8Array> | undefined;
  /** Billed reads of the received part. */
  readonly reads: number;
}

/** Gets documents in one request and stops once they exceed `maxBytes`, which bounds memory. */
export const getWithin = async (
  source: FirestoreDatabase,
  paths: readonly string[],
  { readTime, signal, maxBytes }: GetOptions & { readonly maxBytes: number },
): Promise<Got> => {
  const names = new Set(paths);
  const request = join(
    textField(1, source.database),
    ...Array.from(names, (path) => textField(2, `${source.root}/${path}`)),
    readTime === undefined ? undefined : message(7, encodeReadTime(readTime)),
  );
  const retries = source.newRetryState(signal);
  for (;;) {
    const response = new PartialResponse(Buffer.byteLength(source.root) + 1, maxBytes);
    let stream: GrpcStream | undefined;
    try {
      stream = await source.startCall('BatchGetDocuments', request, {
        buffer: response.buffer,
        refresh: retries.needsToken,
        wantedBytes,
        signal,
      });
      if (!(await response.receive(stream))) return { documents: undefined, reads: response.readsBy(source.billing) };
      // A stream may end early without an error: every name must have a result, found or missing.
      if (response.resultCount !== names.size)
        throw new RpcError('INTERNAL', 'The source did not return a result for every document.');
      retries.progress();
      return { documents: response.documents, reads: response.readsBy(source.billing) };
    } catch (error) {
      if (error instanceof RpcError) stream?.suspect(error);
      await retries.failed(error);
    } finally {
      stream?.cancel();
    }
  }
};

/** The partial response of one request. */
class PartialResponse {
  readonly documents = new Map<string, Uint8Array>();
  /** Names with a result. */
  resultCount = 0;
  readonly buffer = new FrameBuffer(wantedBytes);
  readonly #skim = new ResponseSkim();
  readonly #rootBytes: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(rootBytes: number, maxBytes: number) {
    this.#rootBytes = rootBytes;
    this.#maxBytes = maxBytes;
  }

  readsBy({ document }: ReadBilling): number {
    let reads = (this.resultCount - this.documents.size) * document(0);
    for (const { length } of this.documents.values()) reads += document(length);
    return reads;
  }

  /** Receives the whole response; false if it is too large. */
  async receive(stream: GrpcStream): Promise<boolean> {
    for (;;) {
      await stream.wait();
      const { isOver } = stream;
      this.buffer.drop(this.#take());
      if (this.#bytes > this.#maxBytes) return false;
      if (!isOver) continue;
      if (stream.failure) throw stream.failure;
      if (this.buffer.filled > 0) throw new RpcError('INTERNAL', 'The response of the source ended within a message.');
      return true;
    }
  }

  /** BatchGetDocumentsResponse { found = 1, missing = 2 }; returns where the incomplete rest starts. */
  #take(): number {
    const { bytes } = this.buffer;
    const skim = this.#skim;
    return this.buffer.forEachMessage((start, end) => {
      if (skim.find(bytes, start, end)) {
        const path = bytes.toString('utf8', skim.nameStart + this.#rootBytes, skim.nameEnd);
        this.documents.set(path, Buffer.from(bytes.subarray(skim.start, skim.end)));
        this.#bytes += skim.end - skim.start;
        this.resultCount += 1;
      } else if (lastField(bytes.subarray(start, end), 2)) this.resultCount += 1;
    });
  }
}
