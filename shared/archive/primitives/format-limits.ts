/** Maximum uncompressed size of a frame. Bounds the memory of a reader, also against zstd bombs. */
export const maxPlainBytes = 8 * 1024 * 1024;

export const tagBytes = 16;
/** In the sealed part, before the zstd bytes: their decompressed length. */
export const plainLengthBytes = 4;
/** Before each frame: the number of sealed bytes that follow. */
export const frameLengthBytes = 4;

/** zstd expands incompressible data by at most one byte in 256 and a few more. */
export const compressedBound = (plainBytes: number): number => plainBytes + (plainBytes >>> 8) + 64;

export const maxSealedBytes = plainLengthBytes + compressedBound(maxPlainBytes) + tagBytes;
/** The shortest zstd frame has 9 bytes. */
export const minSealedBytes = plainLengthBytes + 9 + tagBytes;

export const maxHeaderBytes = 64 * 1024;

/** The frame number is 32 bits of the nonce, which must not repeat. */
export const maxFrames = 2 ** 32;

/**
 * Uncompressed target size of the bodies of a leaf. Reading one document fetches one leaf: 0.06 % of 1,000,000 documents of 1 kB.
 * 1 MiB would save 1.4 % of storage and fetch twice as much.
 */
export const leafBodyBytes = 512 * 1024;
/** Limits the keys of leaves with tiny documents. */
export const leafRecords = 4096;
export const leafNameBytes = 1024 * 1024;

/** Limits that a reader accepts. */
export const maxLeafRecords = 65_536;
export const maxNameBytes = 65_535;
/** Bounds the expansion of prefix-compressed names. */
export const maxLeafNameBytes = 8 * 1024 * 1024;

/** Segments of a written index page, which takes about 25 KB. */
export const pageSegments = 256;
export const maxPageSegments = 65_535;

export const maxManifestBytes = 64 * 1024 * 1024;
/** Limits of the lists in a manifest, about as many as fit; checked before any entry. */
export const maxManifestCollections = 200_000;
export const maxManifestObjects = 200_000;
export const maxManifestPages = 400_000;
export const maxKeyFileBytes = 64 * 1024;
