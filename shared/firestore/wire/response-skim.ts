import { ArchiveError, DocumentSkim } from '../../archive/index.ts';
import { RpcError } from '../grpc/status.ts';

/** Position of a document in a buffer, and its metadata without decoding. */
export interface RawDocument {
  /** The encoded google.firestore.v1.Document as sent. */
  start: number;
  end: number;
  nameStart: number;
  nameEnd: number;
  createdSeconds: number;
  createdNanos: number;
  updatedSeconds: number;
  updatedNanos: number;
}

/** Finds the document of a RunQueryResponse, its name and times. One object is reused for all messages. */
export class ResponseSkim extends DocumentSkim implements RawDocument {
  /** Whether the message has a document. */
  find(bytes: Uint8Array, from: number, to: number): boolean {
    try {
      if (!this.readWithin(bytes, from, to)) return false;
    } catch (error) {
      if (error instanceof ArchiveError) throw broken(error);
      throw error;
    }
    if (this.nameEnd === this.nameStart) throw broken();
    return true;
  }
}

const broken = (cause?: unknown): RpcError => new RpcError('INTERNAL', 'The source sent an invalid document.', { cause });
