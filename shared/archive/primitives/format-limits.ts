/** The largest frame, before compression: what a reader must be ready to hold, and all that a zstd bomb can reach. */
export const maxPlainBytes = 8 * 1024 * 1024;

export const tagBytes = 16;
/** Inside the sealed part, before the zstd bytes: the length they decompress to. */
export const plainLengthBytes = 4;
/** Before each frame: how many sealed bytes follow. */
export const frameLengthBytes = 4;

/** zstd adds at most one byte in 256 and a few to what it cannot compress. */
export const compressedBound = (plainBytes: number): number => plainBytes + (plainBytes >>> 8) + 64;

export const maxSealedBytes = plainLengthBytes + compressedBound(maxPlainBytes) + tagBytes;
/** The shortest zstd frame, of nothing, has 9 bytes. */
export const minSealedBytes = plainLengthBytes + 9 + tagBytes;

export const maxHeaderBytes = 64 * 1024;

/** The frame number is 32 bits of the nonce: one more would repeat it. */
export const maxFrames = 2 ** 32;

/**
 * Bodies of a leaf before compression. One document is read by fetching one leaf, so this is what one document costs:
 * 0.06 % of 1,000,000 documents of 1 kB; 1 MiB would save 1.4 % of the stored bytes and fetch twice as much.
 */
export const leafBodyBytes = 512 * 1024;
/** Tiny documents do not make leaves whose keys are larger than their bodies. */
export const leafRecords = 4096;
export const leafNameBytes = 1024 * 1024;

/** What a reader accepts of a leaf. */
export const maxLeafRecords = 65_536;
export const maxNameBytes = 65_535;
/** Names are front-coded: this bounds what few bytes can unfold to. */
export const maxLeafNameBytes = 8 * 1024 * 1024;

/** Segments in a page of the index, as written: a page takes about 25 KB. */
export const pageSegments = 256;
export const maxPageSegments = 65_535;

export const maxManifestBytes = 64 * 1024 * 1024;
/** Lists of a manifest: about what fits into it, told before any entry is looked at. */
export const maxManifestCollections = 200_000;
export const maxManifestObjects = 200_000;
export const maxManifestPages = 400_000;
export const maxKeyFileBytes = 64 * 1024;
