/** What can be wrong with an archive, and the step of reading it that notices. */
export const archiveErrors = {
  /** The bytes end before they should. */
  truncated: 'reading',
  /** Bytes follow the last frame. */
  'trailing-data': 'reading',
  /** Not one of our objects. */
  'bad-magic': 'reading',
  /** Written by a later format than this code knows. */
  'unsupported-version': 'reading',
  /** The archive needs a feature that this code does not have. */
  'unknown-feature': 'reading',
  'header-invalid': 'reading',
  /** A declared length is beyond what the format allows; nothing of that length was allocated. */
  'too-large': 'reading',
  /** The object says that it belongs to another organization, project, backup or name. */
  'wrong-backup': 'decrypting',
  /** The bytes or what they are bound to were changed, or the key is another one. */
  'tag-mismatch': 'decrypting',
  /** A frame is genuine but not at its place. */
  'frame-order': 'decrypting',
  'decompression-failed': 'decompressing',
  /** The bytes are not those the manifest, the index or the caller's digest names. */
  'hash-mismatch': 'validating',
  'record-invalid': 'validating',
  'index-invalid': 'validating',
  'manifest-invalid': 'validating',
  /** The key file cannot be read. */
  'key-invalid': 'decrypting',
  /** The passphrase does not open the key. */
  'wrong-passphrase': 'decrypting',
  /** The passphrase is not one that the format allows. */
  'passphrase-refused': 'decrypting',
  /** Iterations or salt of the key derivation are outside of what is safe. */
  'kdf-refused': 'decrypting',
  /** What was about to be stored could not be read back: memory or processor are at fault. */
  'self-check-failed': 'writing',
} as const;

export type ArchiveErrorCode = keyof typeof archiveErrors;

/** Everything that this room refuses, with a code to act on; errors of the source of the bytes pass through unchanged. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  /** Where it was noticed, if whoever read it knows. */
  object: { readonly backup: string; readonly name: string } | undefined;

  constructor(code: ArchiveErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ArchiveError';
    this.code = code;
  }

  get phase(): (typeof archiveErrors)[ArchiveErrorCode] {
    return archiveErrors[this.code];
  }
}
