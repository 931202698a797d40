import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { ArchiveError } from '../primitives/archive-error.ts';

/** The public half of the key that signs evidence, as RFC 7517 writes it. */
export interface EvidenceKey {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
}

const minKeyBits = 2_048;

/** Checks the parts of a public key and takes only them. */
export const parseEvidenceKey = (value: unknown): EvidenceKey => {
  const { kty, n, e } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<string, unknown>>;
  const isBase64 = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{1,1400}$/.test(text);
  if (kty !== 'RSA' || !isBase64(n) || !isBase64(e))
    throw new ArchiveError('evidence-invalid', 'the public key is not an RSA key');
  const key: EvidenceKey = { kty, n, e };
  const bits = toKeyObject(key).asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < minKeyBits) throw new ArchiveError('evidence-invalid', `the public key has ${bits} bits; ${minKeyBits} are needed`);
  return key;
};

export const toKeyObject = ({ kty, n, e }: EvidenceKey): KeyObject => {
  try {
    return createPublicKey({ key: { kty, n, e }, format: 'jwk' });
  } catch (cause) {
    throw new ArchiveError('evidence-invalid', 'the public key cannot be read', { cause });
  }
};

/** RFC 7638: the fingerprint of a key, 43 characters. */
export const keyThumbprint = ({ e, kty, n }: EvidenceKey): string =>
  hash('sha256', JSON.stringify({ e, kty, n }), 'buffer').toString('base64url');
