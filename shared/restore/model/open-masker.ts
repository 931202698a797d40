import { deriveMaskKey, JobFailure, maskSaltKey } from '../../job/index.ts';
import { DocumentMasker, RuleSet } from '../../mask/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
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
  return new DocumentMasker(new RuleSet(transform.rules), deriveMaskKey(await journalKey(), stored.salt));
};
