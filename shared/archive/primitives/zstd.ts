import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ArchiveError } from './archive-error.ts';
import { compressedBound, maxPlainBytes } from './format-limits.ts';

export const defaultLevel = 3;

/** One zstd frame, without a checksum of its own, as SHA-256 over the same bytes is kept. */
export const compress = (plain: Buffer, level: number): Buffer =>
  zstdCompressSync(plain, {
    // Documents shrink to a quarter: a piece of that size is mostly enough, and leaves less memory to be collected.
    chunkSize: Math.min(compressedBound(plain.length), 16 * 1024 + (plain.length >>> 2)),
    params: { [constants.ZSTD_c_compressionLevel]: level },
  });

/** Exactly `plainBytes` bytes or an error; never more memory than that and a window of the same size. */
export const decompress = (packed: Buffer, plainBytes: number): Buffer => {
  if (plainBytes > maxPlainBytes) throw new ArchiveError('too-large', `a frame of ${plainBytes} bytes`);
  let plain: Buffer;
  try {
    plain = zstdDecompressSync(packed, {
      chunkSize: Math.max(plainBytes, 64),
      maxOutputLength: Math.max(plainBytes, 1),
      params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
    });
  } catch (cause) {
    throw new ArchiveError('decompression-failed', 'a frame does not decompress to the length it declares', { cause });
  }
  if (plain.length !== plainBytes) throw new ArchiveError('decompression-failed', 'a frame is shorter than it declares');
  return plain;
};

/** No window is larger than the largest frame. */
const windowLogMax = Math.log2(maxPlainBytes);
