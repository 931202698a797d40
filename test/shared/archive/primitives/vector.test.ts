/** Published test vectors for the primitives. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { gcmOpen, gcmSeal } from '../../../../shared/archive/primitives/aes-gcm.ts';
import { hkdf, stretch } from '../../../../shared/archive/primitives/kdf.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

const key = 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308';
const plain =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
  '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255';
const sealed =
  '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa' +
  '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad';
/** Test cases 13 to 16 of "The Galois/Counter Mode of Operation": 256-bit key, 96-bit nonce. */
const gcmVectors = [
  { key: '00'.repeat(32), nonce: '00'.repeat(12), binding: '', plain: '', sealed: '', tag: '530f8afbc74536b9a963b4f1c4cb738b' },
  {
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    binding: '',
    plain: '00'.repeat(16),
    sealed: 'cea7403d4d606b6e074ec5d3baf39d18',
    tag: 'd0d1c8a799996bf0265b98b5d48ab919',
  },
  { key, nonce: 'cafebabefacedbaddecaf888', binding: '', plain, sealed, tag: 'b094dac5d93471bdec1a502270e3cc6c' },
  {
    key,
    nonce: 'cafebabefacedbaddecaf888',
    binding: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    plain: plain.slice(0, 120),
    sealed: sealed.slice(0, 120),
    tag: '76fc6ece0f4e1768cddf8853bb2d551b',
  },
];

test('AES-256-GCM: seals to the published bytes and tags, in one piece or several', () => {
  for (const vector of gcmVectors) {
    const bytes = hex(vector.plain);
    for (const pieces of [[bytes], [bytes.subarray(0, 5), bytes.subarray(5)], [...bytes].map((byte) => Buffer.from([byte]))]) {
      const made = gcmSeal(hex(vector.key), { nonce: hex(vector.nonce), binding: hex(vector.binding), pieces });
      equal(Buffer.concat(made.pieces).toString('hex'), vector.sealed);
      equal(made.tag.toString('hex'), vector.tag);
      deepEqual(
        made.pieces.map(({ length }) => length),
        pieces.map(({ length }) => length),
      );
    }
    const opened = gcmOpen(hex(vector.key), {
      nonce: hex(vector.nonce),
      binding: hex(vector.binding),
      pieces: [hex(vector.sealed)],
      tag: hex(vector.tag),
    });
    equal(Buffer.concat([...(opened ?? [])]).toString('hex'), vector.plain);
  }
});

test('AES-256-GCM: opens nothing if one bit of key, nonce, binding, bytes or tag differs', () => {
  for (const vector of gcmVectors)
    for (const part of ['key', 'nonce', 'binding', 'sealed', 'tag'] as const)
      for (let bit = 0; bit < hex(vector[part]).length * 8; bit++) {
        const changed = hex(vector[part]);
        changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
        const given = { ...vector, [part]: changed.toString('hex') };
        const opened = gcmOpen(hex(given.key), {
          nonce: hex(given.nonce),
          binding: hex(given.binding),
          pieces: [hex(given.sealed)],
          tag: hex(given.tag),
        });
        equal(opened, undefined, `${part} bit ${bit}`);
      }
});

// The invalid groups of Wycheproof: ZeroLengthIv, SmallIv, LongIv, ModifiedTag, shortened tags.
test('AES-256-GCM: rejects other nonce and tag lengths', () => {
  const vector = gcmVectors[3]!;
  const tag = hex(vector.tag);
  for (const length of [0, 4, 8, 12, 13, 14, 15])
    equal(
      gcmOpen(hex(vector.key), {
        nonce: hex(vector.nonce),
        binding: hex(vector.binding),
        pieces: [hex(vector.sealed)],
        tag: tag.subarray(0, length),
      }),
      undefined,
    );
  equal(
    gcmOpen(hex(vector.key), {
      nonce: hex(vector.nonce),
      binding: hex(vector.binding),
      pieces: [hex(vector.sealed)],
      tag: Buffer.concat([tag, tag]),
    }),
    undefined,
  );
  for (const length of [0, 1, 8, 11, 13, 16]) {
    const nonce = Buffer.alloc(length);
    equal(gcmOpen(hex(vector.key), { nonce, binding: hex(vector.binding), pieces: [hex(vector.sealed)], tag }), undefined);
    throws(() => gcmSeal(hex(vector.key), { nonce, binding: Buffer.alloc(0), pieces: [] }), RangeError);
  }
  for (const length of [0, 16, 24, 31, 33])
    throws(() => gcmSeal(Buffer.alloc(length), { nonce: Buffer.alloc(12), binding: Buffer.alloc(0), pieces: [] }), /key length/i);
});

/** RFC 5869, appendix A.1 to A.3; the first 32 bytes. */
const range = (from: number, to: number): string =>
  Buffer.from(Array.from({ length: to - from + 1 }, (_, i) => from + i)).toString('hex');
const hkdfVectors = [
  {
    secret: '0b'.repeat(22),
    salt: range(0, 0x0c),
    info: range(0xf0, 0xf9),
    okm: '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf',
  },
  {
    secret: range(0, 0x4f),
    salt: range(0x60, 0xaf),
    info: range(0xb0, 0xff),
    okm: 'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c',
  },
  {
    secret: '0b'.repeat(22),
    salt: '',
    info: '',
    okm: '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d',
  },
];

test('HKDF-SHA256: yields the bytes of RFC 5869', () => {
  for (const { secret, salt, info, okm } of hkdfVectors) equal(hkdf(hex(secret), hex(salt), hex(info)).toString('hex'), okm);
});

/** RFC 6070 under SHA-256, and RFC 7914 section 11 (first 32 bytes). */
const pbkdf2Vectors = [
  ['password', 'salt', 1, '120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b'],
  ['password', 'salt', 2, 'ae4d0c95af6b46d32d0adff928f06dd02a303f8ef3c251dfd6e2d85a95474c43'],
  ['password', 'salt', 4096, 'c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a'],
  ['passwd', 'salt', 1, '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc'],
  ['Password', 'NaCl', 80_000, '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56'],
] as const;

test('PBKDF2-HMAC-SHA256: yields the published bytes', async () => {
  for (const [password, salt, iterations, derived] of pbkdf2Vectors)
    equal((await stretch(Buffer.from(password), Buffer.from(salt), iterations)).toString('hex'), derived);
});
