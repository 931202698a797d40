import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { tagBytes } from './format-limits.ts';

const nonceBytes = 12;

/** AES-256-GCM with the nonce and tag lengths of this format. The output has the same pieces as the input. */
export const gcmSeal = (
  key: KeyObject | Uint8Array,
  {
    nonce,
    binding,
    pieces,
  }: { readonly nonce: Uint8Array; readonly binding: Uint8Array; readonly pieces: readonly Uint8Array[] },
): { readonly pieces: readonly Buffer[]; readonly tag: Buffer } => {
  if (nonce.length !== nonceBytes) throw new RangeError(`a nonce has ${nonceBytes} bytes`);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(binding);
  const sealed = pieces.map((piece) => cipher.update(piece));
  cipher.final();
  return { pieces: sealed, tag: cipher.getAuthTag() };
};

/** Undefined if authentication fails for any reason; shorter tags are rejected. */
export const gcmOpen = (
  key: KeyObject | Uint8Array,
  {
    nonce,
    binding,
    pieces,
    tag,
  }: {
    readonly nonce: Uint8Array;
    readonly binding: Uint8Array;
    readonly pieces: readonly Uint8Array[];
    readonly tag: Uint8Array;
  },
): readonly Buffer[] | undefined => {
  // Without authTagLength, Node accepts tags of 12, 8 and 4 bytes.
  if (nonce.length !== nonceBytes || tag.length !== tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(binding).setAuthTag(tag);
  const opened = pieces.map((piece) => decipher.update(piece));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return opened;
};
