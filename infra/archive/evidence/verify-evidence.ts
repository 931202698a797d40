/** `verify-evidence`: checks the signed evidence of a restore test without the service. */

import { createPublicKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  decodeEvidence,
  keyThumbprint,
  manifestDigest,
  manifestName,
  maxEvidenceBytes,
  maxManifestBytes,
  parseEvidenceKey,
  type VerifiableEvidence,
} from '../../../shared/archive/index.ts';
import { objectThat, readExpected } from '../../../shared/destination/index.ts';
import { damaged, failureOf, unusable } from '../failure.ts';
import { type BackupLocation, type BucketAccess, openLocation } from '../open-location.ts';
import { type Output, say } from '../output.ts';
import type { ReadOnlyStore } from '../store/read-only-directory-store.ts';
import { readSmallObject } from '../store/read-small-object.ts';
import { describeEvidence, row } from './describe-evidence.ts';

interface EvidenceOptions extends BucketAccess {
  /** The evidence: a file, or an object of a bucket. */
  readonly location: string;
  /** A fingerprint, or a file with public keys. */
  readonly key?: string | undefined;
  /** The folder of the backup that was tested. */
  readonly backup?: string | undefined;
}

type ManifestCheck = 'matches' | 'not_compared';

/** Throws with exit code 1 if the evidence was altered, was signed by another key, or the backup is not the one that was tested. */
export const verifyEvidence = async (options: EvidenceOptions, output: Pick<Output, 'isJson' | 'line'>): Promise<void> => {
  try {
    const trusted = options.key === undefined ? undefined : readTrustedKeys(options.key);
    const { folder, name } = splitLocation(options.location);
    const location = await openLocation(folder, options);
    try {
      const evidence = await readEvidenceFile(location.store, name, trusted);
      const manifest = await checkManifest(evidence, location, options);
      await report(evidence, { isTrusted: trusted !== undefined, manifest }, output);
    } finally {
      location.close();
    }
  } catch (error) {
    const failure = failureOf(error);
    if (output.isJson && failure.exitCode === 1)
      await output.line(JSON.stringify({ status: 'invalid', error: failure.message }, undefined, 2));
    throw failure;
  }
};

/** The folder and the name of the object. */
export const splitLocation = (location: string): { readonly folder: string; readonly name: string } => {
  const address = /^([a-z][a-z\d]*:\/\/[^/]+(?:\/.*)?)\/([^/]+)$/s.exec(location);
  if (address) return { folder: address[1] ?? '', name: address[2] ?? '' };
  const name = location.split('/').at(-1) ?? '';
  if (name === '' || location.includes('://')) throw unusable('verify-evidence: the location must be a file, such as rtr_….json');
  return { folder: dirname(location), name };
};

/** With a trusted key, evidence that was overwritten or deleted in a bucket is read from the version that the key signed. */
const readEvidenceFile = async (
  store: ReadOnlyStore,
  name: string,
  trusted: readonly string[] | undefined,
): Promise<VerifiableEvidence> => {
  const decode = (bytes: Uint8Array): VerifiableEvidence => {
    const evidence = decodeEvidence(bytes);
    const { keyId } = evidence.signature;
    if (trusted && !trusted.includes(keyId))
      throw damaged(name, `was signed by another key: ${keyId}, expected ${trusted.join(' or ')}`);
    return evidence;
  };
  const read = async (): Promise<VerifiableEvidence> => {
    const found = await store.head(name);
    if (!found) throw unusable(`${name}: file not found`);
    if (found.size > maxEvidenceBytes) throw damaged(name, 'is too large to be evidence of a restore test');
    return decode(await store.get(name, { offset: 0, length: found.size }));
  };
  const isSigned = (bytes: Uint8Array): boolean => {
    try {
      decode(bytes);
      say(`${name} was overwritten or deleted; the version that was signed is read instead`);
      return true;
    } catch {
      return false;
    }
  };
  try {
    return await (trusted ? readExpected(store, objectThat(name, maxEvidenceBytes, isSigned), read) : read());
  } catch (error) {
    throw failureOf(error, name);
  }
};

/** Compares the manifest of the tested backup if its folder is given, is beside the evidence, or is beside its folder. */
const checkManifest = async (
  { tested, digests }: VerifiableEvidence,
  near: BackupLocation,
  options: EvidenceOptions,
): Promise<ManifestCheck> => {
  if (options.backup !== undefined) {
    if (digests.manifest === null) throw unusable('--backup: the evidence has no digest of a manifest');
    const location = await openLocation(options.backup, options);
    try {
      return await compareManifest(location.store, { folder: '', digest: digests.manifest, label: location.displayName });
    } finally {
      location.close();
    }
  }
  if (digests.manifest === null || tested.backupId === null) return 'not_compared';
  const folder = `${tested.backupId}/`;
  for (const store of [near.store, near.parentStore])
    if (store && (await store.head(`${folder}${manifestName}`)))
      return compareManifest(store, { folder, digest: digests.manifest, label: tested.backupId });
  return 'not_compared';
};

const compareManifest = async (
  store: ReadOnlyStore,
  { folder, digest, label }: { readonly folder: string; readonly digest: string; readonly label: string },
): Promise<ManifestCheck> => {
  // Evidence has digests in hex, as sha256sum prints them.
  const isTested = (sealed: Uint8Array): boolean => Buffer.from(manifestDigest(sealed), 'base64url').toString('hex') === digest;
  const object = objectThat(`${folder}${manifestName}`, maxManifestBytes + (1 << 20), isTested);
  return readExpected<ManifestCheck>(store, object, async () => {
    const sealed = await readSmallObject(store, { folder, object: manifestName, label: `${label}/${manifestName}` });
    if (isTested(sealed)) return 'matches';
    throw damaged(
      `${label}/${manifestName}`,
      'is not the manifest that was tested: it was modified, or belongs to another backup',
    );
  });
};

const report = async (
  evidence: VerifiableEvidence,
  { isTrusted, manifest }: { readonly isTrusted: boolean; readonly manifest: ManifestCheck },
  output: Pick<Output, 'isJson' | 'line'>,
): Promise<void> => {
  const { keyId } = evidence.signature;
  if (output.isJson)
    return output.line(JSON.stringify({ status: 'valid', keyId, keyTrusted: isTrusted, manifest, evidence }, undefined, 2));
  await output.line(`ok: the signature matches, so nothing was altered after the evidence was signed`);
  for (const line of describeEvidence(evidence)) await output.line(line);
  const trust = isTrusted ? 'as given with --key' : 'NOT COMPARED: anyone can sign with a key of their own; pass --key';
  await output.line(row('Key', `${keyId} (${trust})`));
  const comparison =
    manifest === 'matches' ? 'is the one that was tested' : 'not compared: its folder is not beside the evidence';
  await output.line(row('Backup', comparison));
};

const maxKeyFileBytes = 1 << 20;

/** Fingerprints of the keys that `--key` names. The file is PEM, a JWK, or a JWK set such as /.well-known/evidence-keys.json. */
const readTrustedKeys = (given: string): readonly string[] => {
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
