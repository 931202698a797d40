/** The decoder for Node 20, compared with that of Node 24. */
import { deepEqual, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'vitest';
import { decodeZstd } from '../../../infra/archive/decode-zstd.ts';

const pack = (plain: Buffer, level: number, hasChecksum = false): Buffer =>
  zstdCompressSync(plain, {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: hasChecksum ? 1 : 0 },
  });
const words = ['users', 'orders', '{"name":', '"Ada"', ',', '\n', '0000', 'ü', 'a'];

/** From noise to long repetitions. */
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
  fc.array(fc.constantFrom(...words), { maxLength: 20_000 }).map((parts) => Buffer.from(parts.join(''))),
  fc.tuple(fc.string({ maxLength: 50 }), fc.nat(20_000)).map(([text, times]) => Buffer.from(text.repeat(times))),
  fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 4 }), fc.nat(60_000)).map(([seed, spread, length]) => {
    let state = seed + 1;
    return Buffer.from(
      Uint8Array.from({ length }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return Math.floor(((state >>> 16) & 255) ** spread / 256 ** (spread - 1));
      }),
    );
  }),
);

test('zstd decoder: returns what Node has compressed, at every level', () => {
  fc.assert(
    fc.property(contents, fc.constantFrom(-5, 1, 3, 9, 19), fc.boolean(), (plain, level, hasChecksum) =>
      deepEqual(decodeZstd(pack(plain, level, hasChecksum), plain.length), plain),
    ),
    { numRuns: 150 },
  );
});

test('zstd decoder: returns a large text, several frames, and what is not longer than allowed', () => {
  const lock = readFileSync(new URL('../../../package-lock.json', import.meta.url));
  const long = Buffer.concat([lock, lock, lock]);
  for (const level of [1, 3, 12, 22]) deepEqual(decodeZstd(pack(long, level), long.length), long);
  deepEqual(decodeZstd(Buffer.concat([pack(lock, 3), pack(lock, 9)]), 2 * lock.length), Buffer.concat([lock, lock]));
  throws(() => decodeZstd(pack(lock, 3), lock.length - 1), /longer than allowed/);
});

test('zstd decoder: damaged input throws or decodes to other bytes, and never hangs', () => {
  const plain = Buffer.from(words.join(' ').repeat(200));
  const packed = pack(plain, 3);
  fc.assert(
    fc.property(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const damaged = Buffer.from(packed);
      damaged[at] = (damaged[at] ?? 0) ^ mask;
      try {
        decodeZstd(damaged, plain.length);
      } catch (error) {
        return error instanceof Error && /zstd|longer/.test(error.message);
      }
      return true;
    }),
  );
  for (let end = 0; end < packed.length; end += 7) if (end > 0) throws(() => decodeZstd(packed.subarray(0, end), plain.length));
});
