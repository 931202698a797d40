import { hkdfSync } from 'node:crypto';
import { after, epochSeconds, type Item, type Key, secureRandomBytes, type Tenant } from '../platform/index.ts';

/** Half of the keys of a job that masks documents or encrypts files; the other half is a data key. Without it, nothing can be repeated. */
interface MaskSaltRecord extends Item {
  readonly salt: Uint8Array;
  readonly ttl: number;
}

export const maskSaltKey = (tenant: Tenant, jobId: string): Key<MaskSaltRecord> => ({
  pk: `ORG#${tenant.organizationId}`,
  sk: `MASK#${jobId}`,
});

/** A backstop: the end of the job destroys the salt, or sets the time. */
const runningSeconds = 30 * 24 * 3_600;
const saltBytes = 32;

export const maskSaltExpiry = (now: Date): number => epochSeconds(after(now, runningSeconds));

export const newMaskSaltItem = (tenant: Tenant, jobId: string, now: Date): MaskSaltRecord => ({
  ...maskSaltKey(tenant, jobId),
  salt: secureRandomBytes(saltBytes),
  ttl: maskSaltExpiry(now),
});

/** The key from which what encrypted files have at random is derived. It goes with the salt, too. */
export const deriveSealKey = (dataKey: Uint8Array, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', dataKey, salt, 'encrypted files', 32));

/** The key of a job that masks: derived from a data key and the random salt, and never stored. Deleting the salt destroys it. */
export const deriveMaskKey = (dataKey: Uint8Array, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', dataKey, salt, 'masked copy', 32));
