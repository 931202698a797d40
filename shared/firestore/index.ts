/** Reads and writes Firestore over gRPC: consistent snapshots, documents byte for byte, and an outcome for every write. */

export { FieldKeys } from './document/field-keys.ts';
export { pathSegment } from './document/field-mask.ts';
export { isMergeNoop } from './document/is-merge-noop.ts';
export { referenceRewriter } from './document/reference-rewriter.ts';
export { fieldsDigest, type RestDocument, restDocument, sameFields } from './document/rest-document.ts';
export type { RestFields, RestValue } from './document/rest-value.ts';
export { ValueEditor, type ValueVisitor } from './document/value-editor.ts';
export { storedKey, valueKey } from './document/value-key.ts';
export { valueKind } from './document/value-kind.ts';
export { ErasureFilter } from './erasure/erasure-filter.ts';
export { FieldMatcher, fieldSegments } from './erasure/field-matcher.ts';
export { FirestoreDatabase, type SourceOptions, type TokenSupplier } from './firestore-database.ts';
export { Availability } from './grpc/availability.ts';
export { denialReason, readerRole, withRole } from './grpc/classify-error.ts';
export { type ReadBilling, readBilling } from './grpc/read-billing.ts';
export type { SourceRetryPolicy } from './grpc/retry-state.ts';
export { SourceError, type SourceErrorCode } from './grpc/source-error.ts';
export { type ConsistentPoint, ListenCall, type Listener, ResumeTokenLost, targetsMax } from './listen/listen-call.ts';
export type { ListenTarget } from './listen/listen-request.ts';
export { collectionIdOf } from './names/collection-id-of.ts';
export { compareTextNames } from './names/name-order.ts';
export {
  collectionRange,
  documentRange,
  intersection,
  isCollectionId,
  isCollectionPath,
  isDocumentPath,
  isInRange,
  justAfter,
  type NameRange,
  scopeOf,
  tile,
} from './names/name-range.ts';
export { CollectionCounts, countBytes } from './read/collection-counts.ts';
export { type Counted, countGroup, countRange, countRootCollection, verifyCount } from './read/count-documents.ts';
export { DocumentBatch } from './read/document-batch.ts';
export { type Got, getDocuments, getWithin } from './read/get-documents.ts';
export { planRanges, type ReadPlan } from './read/plan-ranges.ts';
export { listCollections, probeSource, splitPoints } from './read/probe-source.ts';
export { type DocumentRange, RangeReader, type ReadRangeOptions, readRange } from './read/read-range.ts';
export type { RawDocument } from './wire/response-skim.ts';
export { integer, join, textField, varint } from './wire/small-messages.ts';
export { BatchWriter, type BatchWriterOptions } from './write/batch-writer.ts';
export { asTargetError } from './write/classify-write.ts';
export type { Condition } from './write/precondition.ts';
export { type RateLimiter, type RateStore, SharedRateLimiter } from './write/rate-limiter.ts';
export type { RateGrant, RateState } from './write/rate-ramp.ts';
export { isAlreadyApplied } from './write/resolve-preconditions.ts';
export { batchLimit } from './write/write-batch.ts';
export type { WriteMode } from './write/write-encoder.ts';
export type { WriteFailure, WriteTally } from './write/write-tally.ts';
