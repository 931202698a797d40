/** The keys that the caller trusts: a fingerprint, or a file with public keys. */
import { createPublicKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { keyThumbprint, parseEvidenceKey } from '../../../shared/archive/index.ts';
import { unusable } from '../failure.ts';

const maxKeyFileBytes = 1 << 20;

/** Fingerprints of the keys that `--key` names. The file is PEM, a JWK, or a JWK set such as /.well-known/evidence-keys.json. */
export const readTrustedKeys = (given: string): readonly string[] => {
  const size = statSync(given, { throwIfNoEntry: false })?.size;
  if (size === undefined) {
    if (/^[\w-]{43}$/.test(given)) return [given];
    throw unusable('--key: must be a fingerprint of 43 characters, or a file with a public key');
  }
  if (size > maxKeyFileBytes) throw unusable('--key: the file is too large for a public key');
  const text = readFileSync(given, 'utf8');
  try {
    return (text.includes('-----BEGIN') ? [fromPem(text)] : fromJson(text)).map((key) => keyThumbprint(parseEvidenceKey(key)));
  } catch (error) {
    throw unusable('--key: the file has no RSA public key as PEM, JWK or JWK set', error);
  }
};

const fromPem = (text: string): unknown => createPublicKey(text).export({ format: 'jwk' });

const fromJson = (text: string): readonly unknown[] => {
  const value = JSON.parse(text) as { readonly keys?: unknown };
  if (value.keys === undefined) return [value];
  if (!Array.isArray(value.keys) || value.keys.length === 0) throw new Error('a JWK set without keys');
  return value.keys;
};
