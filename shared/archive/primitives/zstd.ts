// Not by name, because Node 20 has neither: there the command line provides the second.
import zlib from 'node:zlib';
import { ArchiveError } from './archive-error.ts';
import { compressedBound, maxPlainBytes } from './format-limits.ts';

export const defaultLevel = 3;

/** One zstd frame without a checksum: SHA-256 covers the same bytes. */
export const compress = (plain: Buffer, level: number): Buffer =>
  zlib.zstdCompressSync(plain, {
    // Documents compress to a quarter: a buffer of that size usually suffices and reduces garbage.
    chunkSize: Math.min(compressedBound(plain.length), 16 * 1024 + (plain.length >>> 2)),
    params: { [zlib.constants.ZSTD_c_compressionLevel]: level },
  });

/** Returns exactly `plainBytes` bytes or throws. Memory is bounded by that size and a window of the same size. */
export const decompress = (packed: Buffer, plainBytes: number): Buffer => {
  if (plainBytes > maxPlainBytes) throw new ArchiveError('too-large', `a frame declares ${plainBytes} bytes`);
  let plain: Buffer;
  try {
    plain = zlib.zstdDecompressSync(packed, {
      chunkSize: Math.max(plainBytes, 64),
      maxOutputLength: Math.max(plainBytes, 1),
      params: { [zlib.constants.ZSTD_d_windowLogMax]: windowLogMax },
    });
  } catch (cause) {
    throw new ArchiveError('decompression-failed', 'a frame does not decompress to its declared length', { cause });
  }
  if (plain.length !== plainBytes) throw new ArchiveError('decompression-failed', 'a frame is shorter than its declared length');
  return plain;
};

/** The window never exceeds the largest frame. */
const windowLogMax = Math.log2(maxPlainBytes);
