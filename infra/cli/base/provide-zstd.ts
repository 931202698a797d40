import zlib from 'node:zlib';
import { decodeZstd } from '../../archive/decode-zstd.ts';

/** Node 20 cannot read zstd, in which archives are compressed. */
export const provideZstd = (): void => {
  const target = zlib as { zstdDecompressSync?: (packed: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer };
  target.zstdDecompressSync ??= (packed, { maxOutputLength }) => decodeZstd(packed, maxOutputLength);
};
