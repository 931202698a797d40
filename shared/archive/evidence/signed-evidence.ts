import { hash, verify } from 'node:crypto';
import { ArchiveError } from '../primitives/archive-error.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Evidence, maxEvidenceBytes } from './evidence.ts';
import { type EvidenceKey, keyThumbprint, parseEvidenceKey, toKeyObject } from './evidence-key.ts';
import { parseEvidence } from './parse-evidence.ts';

/** Evidence with its signature: RSASSA-PKCS1-v1_5 with SHA-256 over the canonical JSON of everything but `signature`. */
export interface VerifiableEvidence extends Evidence {
  readonly signature: EvidenceSignature;
}

export interface EvidenceSignature {
  readonly algorithm: 'RS256';
  /** The RFC 7638 thumbprint of the key. */
  readonly keyId: string;
  readonly publicKey: EvidenceKey;
  /** Base64url. */
  readonly value: string;
}

export interface EvidenceSigner {
  readonly key: EvidenceKey;
  sign(text: string): Promise<Uint8Array>;
}

/** Signs evidence. The result is checked as a reader checks it before it is returned. */
export const signEvidence = async (evidence: Evidence, { key, sign }: EvidenceSigner): Promise<VerifiableEvidence> => {
  const value = Buffer.from(await sign(canonicalJson(evidence))).toString('base64url');
  const publicKey: EvidenceKey = { kty: key.kty, n: key.n, e: key.e };
  const signature: EvidenceSignature = { algorithm: 'RS256', keyId: keyThumbprint(publicKey), publicKey, value };
  return verifyEvidence({ ...evidence, signature });
};

/** The bytes that are stored: canonical, so the same evidence always has the same bytes. */
export const encodeEvidence = (signed: VerifiableEvidence): Buffer => Buffer.from(canonicalJson(signed));

/** The SHA-256 of the stored bytes. */
export const evidenceDigest = (stored: Uint8Array): string => hash('sha256', stored, 'base64url');

/** Every string of the text is matched, so that quotes and colons within one do not count. */
const memberNames = (json: string): number => {
  let count = 0;
  for (const [, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon) count += 1;
  return count;
};

const membersIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, each) => sum + membersIn(each), own);
};

/** Parses a file with evidence. It may also be the whole response of the API, `{"success":true,"data":…}`. */
export const decodeEvidence = (bytes: Uint8Array): VerifiableEvidence => {
  if (bytes.length > maxEvidenceBytes) throw new ArchiveError('too-large', `evidence has at most ${maxEvidenceBytes} bytes`);
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (cause) {
    throw new ArchiveError('evidence-invalid', 'the file is not JSON', { cause });
  }
  // Readers disagree about which of two members with the same name counts.
  if (membersIn(value) !== memberNames(text)) throw new ArchiveError('evidence-invalid', 'the file has a member twice');
  const { success, data } = (value ?? {}) as { readonly success?: unknown; readonly data?: unknown };
  return verifyEvidence(success === true ? data : value);
};

/**
 * Checks the signature first, then the shape. The key is the one that the evidence itself carries: whether to trust it is for the
 * caller to decide, by comparing `signature.keyId` with a fingerprint known from elsewhere.
 */
export const verifyEvidence = (value: unknown): VerifiableEvidence => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ArchiveError('evidence-invalid', 'this is not evidence of a restore test');
  const { signature, ...signed } = value as Record<string, unknown>;
  if (typeof signature !== 'object' || signature === null)
    throw new ArchiveError('evidence-invalid', 'the evidence is not signed');
  const { algorithm, keyId, publicKey, value: text } = signature as Partial<Record<keyof EvidenceSignature, unknown>>;
  if (algorithm !== 'RS256') throw new ArchiveError('evidence-invalid', 'the algorithm of the signature is not RS256');
  const key = parseEvidenceKey(publicKey);
  if (keyThumbprint(key) !== keyId) throw altered('the id of the key is not the thumbprint of the key');
  if (typeof text !== 'string' || !/^[\w-]+$/.test(text)) throw altered('the signature is not base64url');
  const isGenuine = verify('sha256', Buffer.from(canonicalJson(signed)), toKeyObject(key), Buffer.from(text, 'base64url'));
  if (!isGenuine) throw altered('the signature does not match: the evidence was altered after it was signed');
  return { ...parseEvidence(signed), signature: { algorithm, keyId, publicKey: key, value: text } };
};

const altered = (message: string): ArchiveError => new ArchiveError('signature-invalid', message);
