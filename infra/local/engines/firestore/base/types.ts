/** The words the parts of the embedded Firestore use with each other. */

/** gRPC status codes, by number. */
export const status = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;
export type StatusName = keyof typeof status;

/** What a client sees as a failed call. */
export class RpcError extends Error {
  readonly code: StatusName;
  constructor(code: StatusName, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

/** Microseconds since 1970: every commit has one, strictly increasing. Below 2^53 until the year 2255. */
export type Micros = number;

/**
 * An order-preserving key of a document path: comparing two keys with `<` compares the paths as Firestore does,
 * segment by segment, `__id7__` numerically and before names, names by their UTF-8 bytes, a parent before its children.
 */
export type PathKey = string;

/** A document as it stood at some time. */
export interface StoredDocument {
  readonly key: PathKey;
  /** Relative to the database's documents: `users/ada/notes/1`. */
  readonly path: string;
  readonly createTime: Micros;
  readonly updateTime: Micros;
  /** The encoded google.firestore.v1.Document: name, fields, create_time, update_time. Kept as it is sent. */
  readonly bytes: Uint8Array;
}

/** One document's change in one commit, for listeners. */
export interface DocumentChange {
  readonly key: PathKey;
  readonly path: string;
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
}

/** One database of one project: documents in name order, every version of the last hour. */
export interface Database {
  readonly projectId: string;
  readonly databaseId: string;
  /** `projects/p/databases/d` */
  readonly name: string;
  /** The time of the last commit, or of now if that is later: what a strong read reads at. */
  readTime(): Micros;
  /** Throws FAILED_PRECONDITION or INVALID_ARGUMENT, in production's words, for a time that cannot be read. */
  checkReadTime(at: Micros): void;
  get(key: PathKey, at: Micros): StoredDocument | undefined;
  /** Documents with from ≤ key < to, in key order (or backwards), as of `at`. Safe against commits while it is walked. */
  scan(from: PathKey, to: PathKey, at: Micros, backwards?: boolean): Iterable<StoredDocument>;
  /** Called after each commit with its changes, in commit order. Returns how to stop. */
  subscribe(listener: (time: Micros, changes: readonly DocumentChange[]) => void): () => void;
}

export interface CallContext {
  /** Lower-case request headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client cancels or its deadline passes. */
  readonly signal: AbortSignal;
}

/**
 * A response whose field 1 is a document, not yet put together: the document's bytes are copied once, into what is written
 * to the socket. Of a scan this halves the work.
 */
export class DocumentMessage {
  readonly document: Uint8Array;
  /** The encoded fields after the document. */
  readonly tail: Uint8Array;
  readonly length: number;

  constructor(document: Uint8Array, tail: Uint8Array) {
    const { length } = document;
    const lengthBytes = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4;
    this.document = document;
    this.tail = tail;
    this.length = 1 + lengthBytes + length + tail.length;
  }

  /** Writes the message and returns where it ends. */
  copyTo(out: Uint8Array, start: number): number {
    out[start] = 0x0a;
    let at = start + 1;
    let rest = this.document.length;
    for (; rest >= 0x80; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80;
    out[at++] = rest;
    out.set(this.document, at);
    at += this.document.length;
    const { tail } = this;
    for (let i = 0; i < tail.length; i++) out[at++] = tail[i] ?? 0;
    return at;
  }
}

/** A message to send. */
export type Message = Uint8Array | DocumentMessage;

/** A message's bytes, put together. */
export const bytesOf = (message: Message): Uint8Array => {
  if (message instanceof Uint8Array) return message;
  const out = new Uint8Array(message.length);
  message.copyTo(out, 0);
  return out;
};

/** Methods take and give encoded messages; a stream may give several at once, to be sent in one write. */
export type Unary = (request: Uint8Array, call: CallContext) => Promise<Uint8Array>;
export type ServerStream = (
  request: Uint8Array,
  call: CallContext,
) => AsyncIterable<readonly Message[]> | Iterable<readonly Message[]>;
export type Bidi = (requests: AsyncIterable<Uint8Array>, call: CallContext) => AsyncIterable<readonly Message[]>;

export type Method =
  | { readonly kind: 'unary'; readonly run: Unary }
  | { readonly kind: 'server-stream'; readonly run: ServerStream }
  | { readonly kind: 'bidi'; readonly run: Bidi };

/** By method name of google.firestore.v1.Firestore. */
export type Methods = Readonly<Record<string, Method>>;
