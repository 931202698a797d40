/** Evidence: what was signed verifies, and no change goes unnoticed. */
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { canonicalJson } from '../../../../shared/archive/evidence/canonical-json.ts';
import {
  decodeEvidence,
  encodeEvidence,
  keyThumbprint,
  parseEvidenceKey,
  signEvidence,
  verifyEvidence,
} from '../../../../shared/archive/index.ts';
import { makeEvidence } from '../../../../shared/restore-test/evidence/make-evidence.ts';
import { newSigner, testedRun } from '../../../harness/builders/sample-test-run.ts';

const signer = newSigner();
const signed = await signEvidence(makeEvidence(testedRun()), signer);

const refuses = (value: unknown, code: string): void => throws(() => verifyEvidence(value), { name: 'ArchiveError', code });

/** Every path to a value that is no object or list. */
const leavesOf = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]))
    : [path];

const changed = (value: unknown, [key = '', ...rest]: readonly string[]): unknown => {
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[key] = rest.length > 0 ? changed(copy[key], rest) : differentFrom(copy[key]);
  return copy;
};

const differentFrom = (value: unknown): unknown =>
  typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : value === null ? 'x' : `${String(value)}x`;

test('evidence: verifies as stored, as the response of the API, and with other spaces and order', () => {
  deepEqual(decodeEvidence(encodeEvidence(signed)), signed);
  deepEqual(decodeEvidence(Buffer.from(JSON.stringify({ success: true, data: signed }))), signed);
  const reversed = Object.fromEntries(Object.entries(signed).reverse());
  deepEqual(decodeEvidence(Buffer.from(JSON.stringify(reversed, undefined, 2))), signed);
});

test('evidence: the same run has the same bytes', async () => {
  const again = await signEvidence(makeEvidence(testedRun()), signer);
  equal(Buffer.compare(encodeEvidence(again), encodeEvidence(signed)), 0);
});

test('evidence: a change of any value is noticed', () => {
  const { signature, ...evidence } = signed;
  const paths = leavesOf(evidence);
  equal(paths.length > 60, true);
  for (const path of paths) refuses({ ...(changed(evidence, path) as object), signature }, 'signature-invalid');
});

test('evidence: a file with a member twice is refused, whichever a reader would take', () => {
  const text = encodeEvidence(signed).toString();
  const twice = text.replace('{', '{"result":"failed",');
  throws(() => decodeEvidence(Buffer.from(twice)), { code: 'evidence-invalid', message: /twice/ });
  const within = text.replace('"run":{', '"run":{"id" : "another",');
  throws(() => decodeEvidence(Buffer.from(within)), { code: 'evidence-invalid' });
});

test('evidence: names of customers may contain quotes, colons and backslashes', async () => {
  const { organization } = testedRun();
  const named = { ...testedRun(), organization: { ...organization, name: 'a","b":\\"c":\\' } };
  const quoted = await signEvidence(makeEvidence(named), signer);
  deepEqual(decodeEvidence(encodeEvidence(quoted)), quoted);
});

test('evidence: an added or removed member is noticed', () => {
  refuses({ ...signed, note: 'passed' }, 'signature-invalid');
  const { error: _, ...shorter } = signed;
  refuses(shorter, 'signature-invalid');
});

test('evidence: a changed signature, key or key id is noticed', () => {
  const { signature } = signed;
  const other = newSigner().key;
  refuses(
    {
      ...signed,
      signature: { ...signature, value: `${signature.value.startsWith('A') ? 'B' : 'A'}${signature.value.slice(1)}` },
    },
    'signature-invalid',
  );
  refuses({ ...signed, signature: { ...signature, value: '' } }, 'signature-invalid');
  refuses({ ...signed, signature: { ...signature, publicKey: other } }, 'signature-invalid');
  refuses({ ...signed, signature: { ...signature, publicKey: other, keyId: keyThumbprint(other) } }, 'signature-invalid');
  refuses({ ...signed, signature: { ...signature, algorithm: 'none' } }, 'evidence-invalid');
  refuses({ ...signed, signature: null }, 'evidence-invalid');
});

test('evidence: another signature by another key verifies, and says so by its key id', async () => {
  const forged = await signEvidence({ ...makeEvidence(testedRun()), result: 'failed' }, newSigner());
  equal(forged.signature.keyId === signed.signature.keyId, false);
});

test('evidence: signed JSON that is no evidence is rejected', async () => {
  for (const [value, code] of [
    [{ ...makeEvidence(testedRun()), format: 'other' }, 'evidence-invalid'],
    [{ ...makeEvidence(testedRun()), version: 2 }, 'unsupported-version'],
    [{ ...makeEvidence(testedRun()), result: 'cancelled' }, 'evidence-invalid'],
    [{ ...makeEvidence(testedRun()), differences: null }, 'evidence-invalid'],
  ] as const) {
    const publicKey = signer.key;
    const signature = {
      algorithm: 'RS256',
      keyId: keyThumbprint(publicKey),
      publicKey,
      value: Buffer.from(await signer.sign(canonicalJson(value))).toString('base64url'),
    };
    refuses({ ...value, signature }, code);
  }
});

test('evidence: a file that is no JSON, no object or too large is rejected', () => {
  for (const text of ['', 'x', '[]', 'null', '{"success":true}', '"text"'])
    throws(() => decodeEvidence(Buffer.from(text)), { name: 'ArchiveError', code: 'evidence-invalid' });
  throws(() => decodeEvidence(Buffer.from([0xff, 0xfe])), { code: 'evidence-invalid' });
  throws(() => decodeEvidence(Buffer.alloc((4 << 20) + 1, 0x20)), { code: 'too-large' });
});

test('evidence: a key that is too short, private or of another kind is rejected', () => {
  throws(() => newSigner(1_024), { code: 'evidence-invalid' });
  throws(() => parseEvidenceKey({ kty: 'oct', k: 'AAAA' }), { code: 'evidence-invalid' });
  throws(() => parseEvidenceKey({ kty: 'RSA', n: '!', e: 'AQAB' }), { code: 'evidence-invalid' });
  throws(() => parseEvidenceKey(null), { code: 'evidence-invalid' });
});

test('evidence: the thumbprint is that of RFC 7638', () => {
  const n =
    '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
  equal(keyThumbprint({ kty: 'RSA', n, e: 'AQAB' }), 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
});

test('evidence: signEvidence returns nothing that does not verify', async () => {
  const { sign } = newSigner();
  await rejects(signEvidence(makeEvidence(testedRun()), { key: signer.key, sign }), { code: 'signature-invalid' });
});
