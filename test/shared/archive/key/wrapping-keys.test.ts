/** Wrapping keys: which passphrases are accepted, what they and KMS secrets open, and the key file. */

import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict';
import { hkdfSync, pbkdf2Sync } from 'node:crypto';
import { test } from 'vitest';
import {
  encodeKeyFile,
  type KmsWrap,
  type PassphraseWrap,
  parseKeyFile,
  passphraseBytes,
  unwrapKey,
  unwrapKeyByKms,
  wrapKey,
  wrapKeyByKms,
} from '../../../../shared/archive/index.ts';
import { passphraseKeys } from '../../../../shared/archive/key/wrapping-keys.ts';
import { chance, dataKey, identity, refuses, refusesNow } from '../../../harness/builders/sample-archive.ts';

const passphrase = 'correct horse battery stäple';
// Key derivation takes 0.1 to 0.5 s: one wrap serves all tests.
const wrapped = wrapKey(dataKey, passphrase, { identity, random: chance('wrap') });

// B16
test('passphrase: has 8 characters to 1,024 bytes, counted in characters, not code units', () => {
  for (const short of ['', '1234567', '🚀🚀🚀🚀🚀🚀🚀', 'é'.normalize('NFD').repeat(7)])
    refusesNow(() => passphraseBytes(short), 'passphrase-refused');
  for (const long of ['x'.repeat(1025), 'é'.repeat(513), 'x'.repeat(1024 * 1024)])
    refusesNow(() => passphraseBytes(long), 'passphrase-refused');
  for (const fine of ['12345678', 'x'.repeat(1024), 'é'.repeat(512), '🚀'.repeat(8), ' leading and trailing '])
    ok(passphraseBytes(fine));
});

test('passphrase: composed and decomposed letters are equal, lookalikes are not', () => {
  deepEqual(passphraseBytes('Grüße für Zoë'.normalize('NFC')), passphraseBytes('Grüße für Zoë'.normalize('NFD')));
  // Å as LATIN CAPITAL LETTER A WITH RING ABOVE and as ANGSTROM SIGN are canonically equal.
  deepEqual(passphraseBytes('\u00c5ngström'), passphraseBytes('\u212bngström'));
  equal(passphraseBytes('Gru\u0308\u00dfe 12').toString('hex'), Buffer.from('Grüße 12').toString('hex'));
  // The ligature ﬁ is a compatibility character, which NFC keeps.
  notDeepEqual(passphraseBytes('pass\ufb01rst'), passphraseBytes('passfirst'));
});

// TextEncoder replaces every lone surrogate by EF BF BD, so all would be the same passphrase.
test('passphrase: rejects lone surrogates', () => {
  for (const half of ['\ud800', '\udfff', '\udc00\ud800'])
    refusesNow(() => passphraseBytes(`password${half}`), 'passphrase-refused');
  ok(passphraseBytes('password\ud83d\ude80'));
});

test('passphrase: both normalization forms open the key, and every wrap of a key is different', async () => {
  const wrap = await wrapped;
  equal(wrap.kdf.iterations, 600_000);
  equal(wrap.kdf.salt.length, 16);
  deepEqual(await unwrapKey(wrap, passphrase.normalize('NFD'), identity), dataKey);
  ok(!wrap.sealed.includes(dataKey.subarray(0, 8)));
  const again = await wrapKey(dataKey, passphrase, { identity, random: chance('wrap again') });
  notDeepEqual([again.kdf.salt, again.sealed, again.check], [wrap.kdf.salt, wrap.sealed, wrap.check]);
});

test('passphrase: a wrong passphrase, a damaged wrap and a wrap of another owner have different error codes', async () => {
  const wrap = await wrapped;
  await refuses(unwrapKey(wrap, `${passphrase}.`, identity), 'wrong-passphrase');
  for (const other of [{ organization: 'org_02' }, { project: 'prj_02' }, { backup: 'bkp_02' }])
    await refuses(unwrapKey(wrap, passphrase, { ...identity, ...other }), 'tag-mismatch');
  const sealed = Buffer.from(wrap.sealed);
  sealed[0] = sealed[0]! ^ 1;
  await refuses(unwrapKey({ ...wrap, sealed }, passphrase, identity), 'tag-mismatch');
  await refuses(unwrapKey({ ...wrap, nonce: Buffer.alloc(12) }, passphrase, identity), 'tag-mismatch');
  for (const change of [{ sealed: sealed.subarray(0, 44) }, { nonce: Buffer.alloc(8) }, { check: Buffer.alloc(16) }])
    await refuses(unwrapKey({ ...wrap, ...change }, passphrase, identity), 'key-invalid');
});

// B17
test('passphrase: rejects unsafe iterations and salts before deriving', async () => {
  const wrap = await wrapped;
  const started = performance.now();
  for (const iterations of [0, 1, 599_999, 10_000_001, 1e9, 2 ** 32, -600_000, 600_000.5, Number.NaN])
    await refuses(unwrapKey({ ...wrap, kdf: { ...wrap.kdf, iterations } }, passphrase, identity), 'kdf-refused');
  for (const length of [0, 8, 15, 65])
    await refuses(unwrapKey({ ...wrap, kdf: { ...wrap.kdf, salt: Buffer.alloc(length) } }, passphrase, identity), 'kdf-refused');
  const name = 'pbkdf2-hmac-sha1' as 'pbkdf2-hmac-sha256';
  await refuses(unwrapKey({ ...wrap, kdf: { ...wrap.kdf, name } }, passphrase, identity), 'kdf-refused');
  ok(performance.now() - started < 60_000, 'without a derivation, of which the largest would take minutes');
  await refuses(wrapKey(dataKey, passphrase, { identity, random: chance(''), iterations: 1_000 }), 'kdf-refused');
});

test('passphrase: derived keys never change', async () => {
  const keys = await passphraseKeys('golden passphrase', {
    name: 'pbkdf2-hmac-sha256',
    iterations: 600_000,
    salt: Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
  });
  equal(keys.wrapping.toString('hex'), '97e81bad6329efe643e6171d7bc9f0b5fbc6802286edce8c2fdc0b3d1b90b548');
  equal(keys.check.toString('hex'), 'e8650f546e9d05766d99ad9910a406a556001c63e1d60aa2761fcbd15a41932d');
});

const kmsSecret = { plain: Buffer.alloc(32, 7), blob: Buffer.from('blob'), keyId: 'arn:aws:kms:eu-west-1:1:key/k' };

test('KMS secret: PBKDF2 derives the key that seals the data key, and the key file says with how many iterations', async () => {
  const wrap = await wrapKeyByKms(dataKey, kmsSecret, { identity, random: chance('kms') });
  const { version, wraps } = JSON.parse(encodeKeyFile({ identity, wraps: [wrap] }).toString());
  const { kind, keyId, kdf, iterations } = wraps[0];
  deepEqual(
    { version, kind, keyId, kdf, iterations },
    {
      version: 3,
      kind: 'kms',
      keyId: kmsSecret.keyId,
      kdf: 'pbkdf2-hmac-sha256',
      iterations: 1_000,
    },
  );
  const stretched = pbkdf2Sync(kmsSecret.plain, Buffer.from(wraps[0].salt, 'base64url'), iterations, 32, 'sha256');
  const check = hkdfSync('sha256', stretched, '', '\0\x0eFBK2 key check', 32);
  deepEqual(wraps[0].check, Buffer.from(check).toString('base64url'));
  deepEqual(await unwrapKeyByKms(wrap, kmsSecret.plain, identity), dataKey);
});

test('KMS secret: another secret, a damaged wrap, another backup and unsafe parameters are rejected', async () => {
  const wrap = await wrapKeyByKms(dataKey, kmsSecret, { identity, random: chance('kms') });
  const sealedKey = wrap.sealedKey!;
  await refuses(unwrapKeyByKms(wrap, Buffer.alloc(32, 8), identity), 'tag-mismatch');
  await refuses(unwrapKeyByKms(wrap, Buffer.alloc(16, 7), identity), 'key-invalid');
  await refuses(unwrapKeyByKms(wrap, kmsSecret.plain, { ...identity, backup: 'bkp_02' }), 'tag-mismatch');
  const damaged = { ...sealedKey, sealed: Buffer.alloc(48) };
  await refuses(unwrapKeyByKms({ ...wrap, sealedKey: damaged }, kmsSecret.plain, identity), 'tag-mismatch');
  for (const iterations of [0, -1, 1.5, 10_000_001]) {
    const kdf = { ...sealedKey.kdf, iterations };
    await refuses(unwrapKeyByKms({ ...wrap, sealedKey: { ...sealedKey, kdf } }, kmsSecret.plain, identity), 'kdf-refused');
  }
});

test('KMS secret: in a key file of version 2 it is the data key itself', async () => {
  const stored = { format: 'FBK2 key', version: 2, ...identity, wraps: [{ kind: 'kms', keyId: 'k', blob: 'AAAA' }] };
  const [wrap] = parseKeyFile(Buffer.from(JSON.stringify(stored))).wraps as [KmsWrap];
  deepEqual(await unwrapKeyByKms(wrap, dataKey, identity), dataKey);
});

test('key file: stores both kinds of wraps', async () => {
  const wraps = [await wrapKeyByKms(dataKey, kmsSecret, { identity, random: chance('both') }), await wrapped];
  deepEqual(parseKeyFile(encodeKeyFile({ identity, wraps })), { identity, wraps });
});

test('key file: rejects malformed files with a reason', async () => {
  const good = JSON.parse(encodeKeyFile({ identity, wraps: [await wrapped] }).toString()) as Record<string, unknown>;
  const [wrap] = good.wraps as [Record<string, unknown>];
  const parse = (change: object) => () => parseKeyFile(Buffer.from(JSON.stringify({ ...good, ...change })));
  const withWrap = (change: object) => parse({ wraps: [{ ...wrap, ...change }] });
  refusesNow(() => parseKeyFile(Buffer.from('not JSON')), 'bad-magic');
  refusesNow(() => parseKeyFile(Buffer.from('null')), 'bad-magic');
  refusesNow(() => parseKeyFile(Buffer.from('[['.repeat(10_000))), 'bad-magic');
  refusesNow(() => parseKeyFile(Buffer.alloc(70_000, 0x20)), 'too-large');
  refusesNow(parse({ format: 'FBK3 key' }), 'bad-magic');
  refusesNow(parse({ version: 4 }), 'unsupported-version');
  for (const change of [
    { organization: '' },
    { backup: 7 },
    { wraps: [] },
    { wraps: {} },
    { wraps: [null] },
    { wraps: Array(17).fill(wrap) },
  ])
    refusesNow(parse(change), 'key-invalid');
  for (const change of [
    { salt: 'AAAA' },
    { nonce: '' },
    { sealed: `${wrap.sealed}A` },
    { check: undefined },
    { iterations: '600000' },
  ])
    refusesNow(withWrap(change), 'key-invalid');
  refusesNow(withWrap({ kind: 'kms', keyId: 1 }), 'key-invalid');
  refusesNow(withWrap({ kind: 'plain' }), 'unknown-feature');
  refusesNow(withWrap({ kdf: 'md5' }), 'kdf-refused');
  const parsed = withWrap({ iterations: 1 })().wraps[0] as PassphraseWrap;
  await refuses(unwrapKey(parsed, passphrase, identity), 'kdf-refused');
});
