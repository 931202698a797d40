/** Reads a Firestore database over the wire: complete, in order, as of one time, byte for byte. */
export { type Counted, type CountOptions, countCollection, countRange, verifyCount } from './count-range.ts';
export { DocumentBatch } from './document-batch.ts';
export { SourceError, type SourceErrorCode } from './error.ts';
export { compareNames } from './name-order.ts';
export {
  collectionRange,
  intersection,
  isCollectionPath,
  isDocumentPath,
  isInRange,
  type NameRange,
  scopeOf,
  tile,
} from './name-range.ts';
export type { Patience } from './patience.ts';
export { type Plan, type PlanOptions, plan } from './plan.ts';
export { RangeReader, type ReadOptions, readRange } from './read-range.ts';
export { type RestDocument, restDocument, sameFields } from './rest-document.ts';
export type { RawDocument } from './skim.ts';
export { Source, type SourceOptions, type TokenSupplier } from './source.ts';
export { listCollections, probeSource } from './survey.ts';
