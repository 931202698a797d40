/** Archive errors, and the phase that detects each. */
const archiveErrors = {
  /** The bytes end before they should. */
  truncated: 'reading',
  /** Bytes follow the last frame. */
  'trailing-data': 'reading',
  'bad-magic': 'reading',
  /** Written in a format version that this code does not know. */
  'unsupported-version': 'reading',
  /** The archive requires a feature that this code does not support. */
  'unknown-feature': 'reading',
  'header-invalid': 'reading',
  /** A declared length exceeds the limits of the format; nothing was allocated for it. */
  'too-large': 'reading',
  /** The object claims to belong to another organization, project, backup or name. */
  'wrong-backup': 'decrypting',
  /** The bytes or their binding were modified, or the key is wrong. */
  'tag-mismatch': 'decrypting',
  /** A frame is genuine but at the wrong position. */
  'frame-order': 'decrypting',
  'decompression-failed': 'decompressing',
  /** The bytes differ from the hash in the manifest, the index or the digest. */
  'hash-mismatch': 'validating',
  'record-invalid': 'validating',
  'index-invalid': 'validating',
  'manifest-invalid': 'validating',
  /** A document is no evidence of a restore test. */
  'evidence-invalid': 'validating',
  /** Evidence was altered after it was signed. */
  'signature-invalid': 'validating',
  /** The key file cannot be read. */
  'key-invalid': 'decrypting',
  'wrong-passphrase': 'decrypting',
  /** The passphrase violates the rules of the format. */
  'passphrase-refused': 'decrypting',
  /** Iterations or salt of the key derivation are outside the safe range. */
  'kdf-refused': 'decrypting',
  /** The sealed bytes could not be read back: memory or CPU are faulty. */
  'self-check-failed': 'writing',
} as const;

export type ArchiveErrorCode = keyof typeof archiveErrors;

/** Every error of the archive format, with a code to act on. Errors of the byte source pass through unchanged. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
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
