/** The backup format, defined in README.md. It does no input or output. */

export { ChunkWriter } from './chunk/chunk-writer.ts';
export { LeafCopier, type PackedLeaf } from './chunk/leaf-copier.ts';
export { readChunk } from './chunk/read-chunk.ts';
export { type Shard, ShardWriter } from './chunk/shard-writer.ts';
export {
  type ErasureLedger,
  type ErasureValue,
  type LedgerEntry,
  openErasures,
  sealErasures,
} from './erasure/erasure-ledger.ts';
export {
  type Evidence,
  type EvidenceComparison,
  type EvidenceDifference,
  evidenceFolder,
  evidenceFormat,
  evidenceVersion,
  maxEvidenceBytes,
} from './evidence/evidence.ts';
export { type EvidenceKey, keyThumbprint, parseEvidenceKey } from './evidence/evidence-key.ts';
export {
  decodeEvidence,
  type EvidenceSigner,
  encodeEvidence,
  evidenceDigest,
  signEvidence,
  type VerifiableEvidence,
  verifyEvidence,
} from './evidence/signed-evidence.ts';
export { hasWrittenAll, unwrittenWords, writtenDocuments } from './evidence/written-documents.ts';
export { type FieldPath, type FilterEntry, filterName } from './filter/filter-directory.ts';
export { type FilterSource, filterShareMax } from './filter/filter-writer.ts';
export { verifyFilter } from './filter/verify-filter.ts';
export { encodeKeyFile, type KeyFile, parseKeyFile } from './key/key-file.ts';
export {
  type KeyWrap,
  type KmsWrap,
  type PassphraseWrap,
  unwrapKey,
  unwrapKeyByKms,
  wrapKey,
  wrapKeyByKms,
} from './key/key-wrap.ts';
export { passphraseBytes } from './key/wrapping-keys.ts';
export { recordKind } from './leaf/column-layout.ts';
export { DocumentSkim } from './leaf/document-skim.ts';
export type { DocumentMarks } from './leaf/document-trim.ts';
export { Leaf } from './leaf/leaf.ts';
export { type ProtobufTimestamp, parseMoment } from './leaf/protobuf-timestamp.ts';
export { type Json, type Manifest, storedObjects } from './manifest/manifest.ts';
export { claimedIdentity, manifestDigest, openManifest, sealManifest } from './manifest/seal-manifest.ts';
export { afterSubtree, compareFrom, compareNames, compareRanges } from './name/compare-names.ts';
export { SharedPrefix } from './name/shared-prefix.ts';
export type { SelfCheck } from './object/frame-sealer.ts';
export { type ObjectEntry, ObjectWriter, type WriterOptions } from './object/object-writer.ts';
export { type Frame, type ReadOptions, readFrames } from './object/read-frames.ts';
export { decodePage, encodePage, type LeafLocation, type Segment } from './page/index-page.ts';
export { IndexWriter, type PageEntry } from './page/index-writer.ts';
export { readIndex, readPages } from './page/read-index.ts';
export { ArchiveError, type ArchiveErrorCode } from './primitives/archive-error.ts';
export type { ByteSource } from './primitives/byte-queue.ts';
export { maxKeyFileBytes, maxManifestBytes } from './primitives/format-limits.ts';
export {
  erasuresFolder,
  erasuresName,
  erasuresVersion,
  type Identity,
  keyFileName,
  manifestName,
  objectKind,
  objectName,
} from './primitives/identity.ts';
export { lastAtMost } from './primitives/last-at-most.ts';
export {
  Archive,
  type FetchedLeaf,
  type FetchedRange,
  type RecordFilter,
  unpackLeaf,
  type WantedLeaf,
} from './reader/archive.ts';
export type { LeafContents } from './reader/leaf-cache.ts';
export { LeafFilters, type LeafVerdict, type WantedValue, wantedId, wantedValue } from './reader/leaf-filters.ts';
export { reread, rereadsMax } from './reader/reread.ts';
export { Seeker } from './reader/seeker.ts';
export { boundedSegments, type EncodedNameRange, type NamedPage, segmentsInRanges } from './reader/segments-in-ranges.ts';
export { streamLeaves } from './reader/stream-leaves.ts';
