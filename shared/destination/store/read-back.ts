import { createHash } from 'node:crypto';
import { checksumMismatch, type ObjectStore } from './object-store.ts';
import { mismatchesMax } from './retry-transient.ts';

/** Reads a small object that was stored until it is the same; a store that keeps returning other bytes is defective. */
export const readBack = async (store: ObjectStore, name: string, sent: Uint8Array): Promise<void> => {
  const expected = checksumOf(sent);
  for (let mismatches = 1; ; mismatches++) {
    const actual = checksumOf(await store.get(name));
    if (actual === expected) return;
    if (mismatches >= mismatchesMax) throw checksumMismatch({ object: name, expected, actual }, true);
  }
};

const checksumOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('base64url')}`;
