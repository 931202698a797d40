/** Types shared by the parts of the embedded Firestore. */

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

/** A failed call as the client sees it. */
export class RpcError extends Error {
  readonly code: StatusName;
  constructor(code: StatusName, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

/** Microseconds since 1970, strictly increasing per commit. Below 2^53 until the year 2255. */
export type Micros = number;

/**
 * An order-preserving key of a document path: `<` on keys orders paths like Firestore does, segment by segment,
 * `__id7__` numerically and before names, names by UTF-8 bytes, parents before children.
 */
export type PathKey = string;

/** A version of a document. */
export interface StoredDocument {
  readonly key: PathKey;
  /** Relative to the database: `users/ada/notes/1`. */
  readonly path: string;
  readonly createTime: Micros;
  readonly updateTime: Micros;
  /** The encoded google.firestore.v1.Document: name, fields, create_time, update_time. Stored in the form in which it is sent. */
  readonly bytes: Uint8Array;
}

/** The change of one document in one commit, for listeners. */
export interface DocumentChange {
  readonly key: PathKey;
  readonly path: string;
  readonly before: StoredDocument | undefined;
  readonly after: StoredDocument | undefined;
}

export interface ScanOrder {
  readonly at: Micros;
  /** In reverse key order. */
  readonly backwards?: boolean | undefined;
}

/** One database of one project: documents in name order, with all versions of the last hour. */
export interface Database {
  readonly projectId: string;
  readonly databaseId: string;
  /** `projects/p/databases/d` */
  readonly name: string;
  /** The time of the last commit, or the current time if that is later: the read time of a strong read. */
  readTime(): Micros;
  /** Throws FAILED_PRECONDITION or INVALID_ARGUMENT, with production's messages, for a time that cannot be read. */
  checkReadTime(at: Micros): void;
  get(key: PathKey, at: Micros): StoredDocument | undefined;
  /** Documents with from ≤ key < to as of `at`. Commits during the iteration are safe. */
  scan(from: PathKey, to: PathKey, order: ScanOrder): Iterable<StoredDocument>;
  /** Calls the listener after each commit, in commit order. Returns the unsubscribe function. */
  subscribe(listener: (time: Micros, changes: readonly DocumentChange[]) => void): () => void;
}

export interface CallContext {
  /** Lower-case request headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client cancels or the deadline passes. */
  readonly signal: AbortSignal;
}

/** A response with a document in field 1, assembled when it is written to the socket: one copy halves the work of a scan. */
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

  /** Writes the message and returns its end. */
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

export type Message = Uint8Array | DocumentMessage;

/** The assembled bytes of a message. */
export const bytesOf = (message: Message): Uint8Array => {
  if (message instanceof Uint8Array) return message;
  const out = new Uint8Array(message.length);
  message.copyTo(out, 0);
  return out;
};

/** Methods take and return encoded messages. A stream may yield several messages, which are sent in one write. */
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
