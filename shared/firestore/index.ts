/** Reads and writes a Firestore database over the wire: complete, as of one time, byte for byte, every write accounted for. */
export { BatchWriter, type WriterOptions } from './batch-writer.ts';
export { countBytes } from './collection-tally.ts';
export { type Counted, type CountOptions, countCollection, countGroup, countRange, verifyCount } from './count-range.ts';
export { DocumentBatch } from './document-batch.ts';
export { SourceError, type SourceErrorCode } from './error.ts';
export { type GetOptions, type Got, getDocuments, getWithin } from './get-documents.ts';
export { type Listener, Listening, ListenLost, type Settled, targetsMax } from './listen.ts';
export type { ListenTarget } from './listen-request.ts';
export { mergesToSame } from './merged-fields.ts';
export { compareNames } from './name-order.ts';
export {
  collectionRange,
  documentRange,
  intersection,
  isCollectionPath,
  isDocumentPath,
  isInRange,
  justAfter,
  type NameRange,
  scopeOf,
  tile,
} from './name-range.ts';
export type { Patience } from './patience.ts';
export { type Plan, type PlanOptions, plan } from './plan.ts';
export { RangeReader, type ReadOptions, readRange } from './read-range.ts';
export { referenceRewrite } from './reference-rewrite.ts';
export { type RestDocument, restDocument, sameFields } from './rest-document.ts';
export type { RawDocument } from './skim.ts';
export { Source, type SourceOptions, type TokenSupplier } from './source.ts';
export { listCollections, probeSource } from './survey.ts';
export { asTarget } from './target-refusal.ts';
export { batchLimit } from './write-batch.ts';
export { isAsWanted } from './write-comparison.ts';
export type { Condition } from './write-condition.ts';
export type { WriteMode } from './write-encoder.ts';
export { MemoryRateStore, type Pace, type RateStore, SharedPace, type SharedPaceOptions } from './write-pace.ts';
export type { Grant, RateState } from './write-rate.ts';
export type { WriteFailure, WriteTally } from './write-tally.ts';
