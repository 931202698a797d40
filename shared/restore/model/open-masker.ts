import { hkdfSync } from 'node:crypto';
import { JobFailure } from '../../job/index.ts';
import { DocumentMasker, RuleSet } from '../../mask/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { maskSaltKey } from './mask-salt.ts';
import type { RestoreRecord } from './record.ts';

/** The masker of a restore, the same for each of its runs and attempts; undefined if it is no masked copy. */
export const openMasker = async (
  tenant: Tenant,
  { id, transform }: Pick<RestoreRecord, 'id' | 'transform'>,
  journalKey: () => Promise<Buffer>,
): Promise<DocumentMasker | undefined> => {
  if (!transform) return undefined;
  const stored = await get(maskSaltKey(tenant, id));
  if (!stored) throw new JobFailure('KEY_UNAVAILABLE', 'The key of the masked copy was destroyed; start another restore');
  return new DocumentMasker(new RuleSet(transform.rules), maskKey(await journalKey(), stored.salt));
};

/**
 * The key of a masked copy: derived from the data key of the restore's journal and a random salt, and never stored. Deleting the
 * salt destroys it.
 */
const maskKey = (journalKey: Uint8Array, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', journalKey, salt, 'masked copy', 32));
