import { hkdfSync } from 'node:crypto';

/**
 * The key of a masked copy: derived from the data key of the restore's journal and a random salt, and never stored. Deleting the
 * salt destroys it.
 */
export const maskKey = (journalKey: Uint8Array, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', journalKey, salt, 'masked copy', 32));
