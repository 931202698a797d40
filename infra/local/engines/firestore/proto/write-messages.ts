/** The write messages of google.firestore.v1. */
import type {
  ArrayValue,
  DocumentBytes,
  MaskBytes,
  PreconditionBytes,
  Status,
  Timestamp,
  ValueBytes,
} from './document-messages.ts';

/** An encoded google.firestore.v1.Write. */
type WriteBytes = Uint8Array;

export interface CommitRequest {
  readonly database: string;
  readonly writes: readonly WriteBytes[];
  readonly transaction: Uint8Array;
}

export interface CommitResponse {
  readonly writeResults: readonly WriteResult[];
  readonly commitTime?: Timestamp;
}

export interface Write {
  readonly update?: DocumentBytes;
  readonly delete?: string;
  readonly verify?: string;
  readonly transform?: { readonly document: string; readonly fieldTransforms: readonly FieldTransform[] };
  readonly updateMask?: MaskBytes;
  readonly updateTransforms: readonly FieldTransform[];
  readonly currentDocument?: PreconditionBytes;
}

export interface FieldTransform {
  readonly fieldPath: string;
  readonly setToServerValue?: 'SERVER_VALUE_UNSPECIFIED' | 'REQUEST_TIME' | number;
  readonly increment?: ValueBytes;
  readonly maximum?: ValueBytes;
  readonly minimum?: ValueBytes;
  readonly appendMissingElements?: ArrayValue;
  readonly removeAllFromArray?: ArrayValue;
}

export interface WriteResult {
  readonly updateTime?: Timestamp;
  readonly transformResults: readonly ValueBytes[];
}

export interface BatchWriteRequest {
  readonly database: string;
  readonly writes: readonly WriteBytes[];
  readonly labels: ReadonlyMap<string, string>;
}

export interface BatchWriteResponse {
  readonly writeResults: readonly WriteResult[];
  readonly status: readonly Status[];
}

export interface WriteRequest {
  readonly database: string;
  readonly streamId: string;
  readonly writes: readonly WriteBytes[];
  readonly streamToken: Uint8Array;
  readonly labels: ReadonlyMap<string, string>;
}

export interface WriteResponse {
  readonly streamId: string;
  readonly streamToken: Uint8Array;
  readonly writeResults: readonly WriteResult[];
  readonly commitTime?: Timestamp;
}
