import { createHash } from 'node:crypto';

/** As the manifest has it. */
export const fileDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
