import { type Micros, RpcError } from '../base/types.ts';
import { type Codec, codec, type Sendable } from './codec.ts';
import type * as m from './document-messages.ts';
import type * as q from './query-messages.ts';
import type * as w from './write-messages.ts';

export type * from './document-messages.ts';
export type * from './query-messages.ts';
export type * from './write-messages.ts';
export type { Codec, Sendable };

/** Codecs by message name, based on the protos of the official client. */
export const proto = {
  Document: codec<m.Document>('Document'),
  Value: codec<m.Value>('Value'),
  ArrayValue: codec<m.ArrayValue>('ArrayValue'),
  MapValue: codec<m.MapValue>('MapValue'),
  Timestamp: codec<m.Timestamp>('.google.protobuf.Timestamp'),
  Status: codec<m.Status>('.google.rpc.Status'),
  Write: codec<w.Write>('Write'),
  TransactionOptions: codec<m.TransactionOptions>('TransactionOptions'),
  DocumentMask: codec<m.DocumentMask>('DocumentMask'),
  Precondition: codec<m.Precondition>('Precondition'),
  WriteResult: codec<w.WriteResult>('WriteResult'),
  StructuredQuery: codec<q.StructuredQuery>('StructuredQuery'),
  Cursor: codec<q.Cursor>('Cursor'),
  Target: codec<q.Target>('Target'),
  GetDocumentRequest: codec<m.GetDocumentRequest>('GetDocumentRequest'),
  ListDocumentsRequest: codec<m.ListDocumentsRequest>('ListDocumentsRequest'),
  ListDocumentsResponse: codec<m.ListDocumentsResponse>('ListDocumentsResponse'),
  CreateDocumentRequest: codec<m.CreateDocumentRequest>('CreateDocumentRequest'),
  UpdateDocumentRequest: codec<m.UpdateDocumentRequest>('UpdateDocumentRequest'),
  DeleteDocumentRequest: codec<m.DeleteDocumentRequest>('DeleteDocumentRequest'),
  BatchGetDocumentsRequest: codec<m.BatchGetDocumentsRequest>('BatchGetDocumentsRequest'),
  BatchGetDocumentsResponse: codec<m.BatchGetDocumentsResponse>('BatchGetDocumentsResponse'),
  BeginTransactionRequest: codec<m.BeginTransactionRequest>('BeginTransactionRequest'),
  BeginTransactionResponse: codec<m.BeginTransactionResponse>('BeginTransactionResponse'),
  CommitRequest: codec<w.CommitRequest>('CommitRequest'),
  CommitResponse: codec<w.CommitResponse>('CommitResponse'),
  RollbackRequest: codec<m.RollbackRequest>('RollbackRequest'),
  RunQueryRequest: codec<q.RunQueryRequest>('RunQueryRequest'),
  RunQueryResponse: codec<q.RunQueryResponse>('RunQueryResponse'),
  RunAggregationQueryRequest: codec<q.RunAggregationQueryRequest>('RunAggregationQueryRequest'),
  RunAggregationQueryResponse: codec<q.RunAggregationQueryResponse>('RunAggregationQueryResponse'),
  PartitionQueryRequest: codec<q.PartitionQueryRequest>('PartitionQueryRequest'),
  PartitionQueryResponse: codec<q.PartitionQueryResponse>('PartitionQueryResponse'),
  ListCollectionIdsRequest: codec<m.ListCollectionIdsRequest>('ListCollectionIdsRequest'),
  ListCollectionIdsResponse: codec<m.ListCollectionIdsResponse>('ListCollectionIdsResponse'),
  BatchWriteRequest: codec<w.BatchWriteRequest>('BatchWriteRequest'),
  BatchWriteResponse: codec<w.BatchWriteResponse>('BatchWriteResponse'),
  WriteRequest: codec<w.WriteRequest>('WriteRequest'),
  WriteResponse: codec<w.WriteResponse>('WriteResponse'),
  ListenRequest: codec<q.ListenRequest>('ListenRequest'),
  ListenResponse: codec<q.ListenResponse>('ListenResponse'),
  ExecutePipelineRequest: codec<q.ExecutePipelineRequest>('ExecutePipelineRequest'),
} as const;

/** Decodes a request; invalid bytes are the client's fault. */
export function decodeRequest<T>(of: Codec<T>, bytes: Uint8Array): T {
  try {
    return of.decode(bytes);
  } catch (error) {
    throw new RpcError('INVALID_ARGUMENT', `Request message could not be parsed: ${(error as Error).message}`);
  }
}

/** Like the service, truncates request timestamps to microseconds. */
export const microsOf = (time: m.Timestamp): Micros => Number(time.seconds) * 1_000_000 + Math.floor(time.nanos / 1000);

export const timestampOf = (time: Micros): m.Timestamp => {
  const seconds = Math.floor(time / 1_000_000);
  return { seconds: BigInt(seconds), nanos: (time - seconds * 1_000_000) * 1000 };
};
