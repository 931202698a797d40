import { hkdfSync, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

/** HKDF-SHA256 (RFC 5869), 32 bytes. */
export const hkdf = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32));

const derive = promisify(pbkdf2);

/** PBKDF2-HMAC-SHA256 (RFC 8018), 32 bytes, off the main thread. Callers limit the iterations. */
export const stretch = (password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Buffer> =>
  derive(password, salt, iterations, 32, 'sha256');
