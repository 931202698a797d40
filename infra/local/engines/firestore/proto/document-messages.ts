/** The read messages of google.firestore.v1. Nested documents, values, masks, preconditions and options stay encoded. */

/** An encoded google.firestore.v1.Document. */
export type DocumentBytes = Uint8Array;
/** An encoded google.firestore.v1.Value. */
export type ValueBytes = Uint8Array;
/** An encoded google.firestore.v1.DocumentMask. */
export type MaskBytes = Uint8Array;
/** An encoded google.firestore.v1.Precondition. */
export type PreconditionBytes = Uint8Array;
/** An encoded google.firestore.v1.TransactionOptions. */
export type TransactionOptionsBytes = Uint8Array;

export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

export interface Document {
  readonly name: string;
  readonly fields: ReadonlyMap<string, ValueBytes>;
  readonly createTime?: Timestamp;
  readonly updateTime?: Timestamp;
}

/** One level of a value: the contents of arrays and maps stay encoded. */
export interface Value {
  readonly nullValue?: 'NULL_VALUE' | number;
  readonly booleanValue?: boolean;
  readonly integerValue?: bigint;
  readonly doubleValue?: number;
  readonly timestampValue?: Timestamp;
  readonly stringValue?: string;
  readonly bytesValue?: Uint8Array;
  readonly referenceValue?: string;
  readonly geoPointValue?: { readonly latitude: number; readonly longitude: number };
  readonly arrayValue?: ArrayValue;
  readonly mapValue?: MapValue;
}

export interface ArrayValue {
  readonly values: readonly ValueBytes[];
}

export interface MapValue {
  readonly fields: ReadonlyMap<string, ValueBytes>;
}

export interface DocumentMask {
  readonly fieldPaths: readonly string[];
}

export interface Precondition {
  readonly exists?: boolean;
  readonly updateTime?: Timestamp;
}

export interface TransactionOptions {
  readonly readOnly?: { readonly readTime?: Timestamp };
  readonly readWrite?: { readonly retryTransaction: Uint8Array };
}

/** The read time of a request; at most one field is set. */
export interface Consistency {
  readonly transaction?: Uint8Array;
  readonly newTransaction?: TransactionOptionsBytes;
  readonly readTime?: Timestamp;
}

export interface GetDocumentRequest extends Omit<Consistency, 'newTransaction'> {
  readonly name: string;
  readonly mask?: MaskBytes;
}

export interface ListDocumentsRequest extends Omit<Consistency, 'newTransaction'> {
  readonly parent: string;
  readonly collectionId: string;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly orderBy: string;
  readonly mask?: MaskBytes;
  readonly showMissing: boolean;
}

export interface ListDocumentsResponse {
  readonly documents: readonly DocumentBytes[];
  readonly nextPageToken: string;
}

export interface CreateDocumentRequest {
  readonly parent: string;
  readonly collectionId: string;
  readonly documentId: string;
  readonly document?: DocumentBytes;
  readonly mask?: MaskBytes;
}

export interface UpdateDocumentRequest {
  readonly document?: DocumentBytes;
  readonly updateMask?: MaskBytes;
  readonly mask?: MaskBytes;
  readonly currentDocument?: PreconditionBytes;
}

export interface DeleteDocumentRequest {
  readonly name: string;
  readonly currentDocument?: PreconditionBytes;
}

export interface BatchGetDocumentsRequest extends Consistency {
  readonly database: string;
  readonly documents: readonly string[];
  readonly mask?: MaskBytes;
}

export interface BatchGetDocumentsResponse {
  readonly found?: DocumentBytes;
  readonly missing?: string;
  readonly transaction: Uint8Array;
  readonly readTime?: Timestamp;
}

export interface BeginTransactionRequest {
  readonly database: string;
  readonly options?: TransactionOptionsBytes;
}

export interface BeginTransactionResponse {
  readonly transaction: Uint8Array;
}

export interface RollbackRequest {
  readonly database: string;
  readonly transaction: Uint8Array;
}

/** google.rpc.Status. */
export interface Status {
  readonly code: number;
  readonly message: string;
}

export interface ListCollectionIdsRequest extends Pick<Consistency, 'readTime'> {
  readonly parent: string;
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface ListCollectionIdsResponse {
  readonly collectionIds: readonly string[];
  readonly nextPageToken: string;
}
