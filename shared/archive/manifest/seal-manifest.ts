import { hash } from 'node:crypto';
import { headerLength, parseHeader, preambleBytes } from '../object/header.ts';
import { ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { readFrames } from '../object/read-frames.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer } from '../primitives/bytes.ts';
import { maxManifestBytes, maxPlainBytes } from '../primitives/format-limits.ts';
import { checkSameIdentity, type Identity, manifestName } from '../primitives/identity.ts';
import type { Manifest } from './manifest.ts';
import { parseManifest } from './parse-manifest.ts';

/** The sealed manifest, and its digest, which the caller keeps outside the store. */
export const sealManifest = (manifest: Manifest, options: WriterOptions): { readonly bytes: Buffer; readonly digest: string } => {
  const checked = parseManifest(manifest);
  checkSameIdentity(checked, options.identity);
  const json = Buffer.from(JSON.stringify(checked), 'utf8');
  if (json.length > maxManifestBytes) throw new ArchiveError('too-large', `the manifest has ${json.length} bytes`);
  const writer = new ObjectWriter(manifestName, options);
  let at = 0;
  do {
    const part = json.subarray(at, at + maxPlainBytes);
    at += part.length;
    writer.seal(part, at === json.length);
  } while (at < json.length);
  const bytes = Buffer.concat(writer.take());
  return { bytes, digest: manifestDigest(bytes) };
};

export const manifestDigest = (stored: Uint8Array): string => hash('sha256', stored, 'base64url');

/**
 * Opens a stored manifest. With the digest, even a genuine but older or shortened manifest is rejected. Without it, when only the
 * bucket is left, the key alone vouches for the manifest.
 */
export const openManifest = async (
  stored: Uint8Array,
  options: { readonly identity: Identity; readonly dataKey: Uint8Array; readonly digest?: string | undefined },
): Promise<Manifest> => {
  if (options.digest !== undefined && manifestDigest(stored) !== options.digest)
    throw new ArchiveError('hash-mismatch', 'the manifest differs from the one written for this backup');
  const parts: Buffer[] = [];
  let length = 0;
  for await (const { plain } of readFrames([asBuffer(stored)], { ...options, name: manifestName })) {
    length += plain.length;
    if (length > maxManifestBytes) throw new ArchiveError('too-large', 'the manifest exceeds the maximum size');
    parts.push(plain);
  }
  const manifest = parseManifest(parse(Buffer.concat(parts)));
  checkSameIdentity(manifest, options.identity);
  return manifest;
};

/** The identity that a stored manifest claims; untrusted until the key opens it. */
export const claimedIdentity = (stored: Uint8Array): Identity =>
  parseHeader(asBuffer(stored).subarray(preambleBytes, preambleBytes + headerLength(stored))).identity;

const parse = (json: Buffer): unknown => {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch (cause) {
    throw new ArchiveError('manifest-invalid', 'the manifest is not JSON', { cause });
  }
};
