import { ArchiveError, DocumentSkim } from '../../archive/index.ts';
import { RpcError } from '../grpc/status.ts';

/** Where a document lies in the bytes it came in, and what of it is known without decoding it. */
export interface RawDocument {
  /** The encoded google.firestore.v1.Document, as the source sent it. */
  start: number;
  end: number;
  nameStart: number;
  nameEnd: number;
  createdSeconds: number;
  createdNanos: number;
  updatedSeconds: number;
  updatedNanos: number;
}

/** Finds the document of a RunQueryResponse, its name and its times. One object serves all messages: nothing is allocated. */
export class ResponseSkim extends DocumentSkim implements RawDocument {
  /** Whether the message that lies there has a document. */
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

const broken = (cause?: unknown): RpcError => new RpcError('INTERNAL', 'The source sent what is no document.', { cause });
