import { auditNote } from '../../audit/index.ts';
import { type AuditNote, type Change, get, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { type FingerprintRecord, lookup, organizationKey, type ServiceAccountRecord } from '../model/record.ts';
import { accountUpdate } from './service-account.ts';

export interface ServiceAccountKey {
  readonly account: ServiceAccountRecord;
  readonly key: FingerprintRecord;
}

/** Undefined if the organization has no service account. */
export const readServiceAccountKey = async (tenant: Tenant): Promise<ServiceAccountKey | undefined> => {
  const account = await get(organizationKey.serviceAccount(tenant));
  const key = account && (await get(lookup.fingerprint(account.id)));
  return key && { account, key };
};

interface EndedKeys extends Change {
  readonly audit: readonly (AuditNote & Required<Pick<AuditNote, 'action'>>)[];
}

/** Ends the keys that a former member made. They are refused from then on. */
export const endKeysOf = (
  tenant: Tenant,
  { userId, found, now }: { readonly userId: string; readonly found: ServiceAccountKey | undefined; readonly now: Date },
): EndedKeys => {
  const isMaker = found?.account.createdBy === userId && !found.account.endedAt;
  if (!found || (!isMaker && found.key.previous?.createdBy !== userId)) return { writes: [], audit: [] };
  const { account, key } = found;
  const ended = isMaker ? { endedAt: iso(now) } : {};
  const note = auditNote(tenant, { type: 'service_account', id: account.id, details: { name: account.name, createdBy: userId } });
  return {
    writes: [
      accountUpdate(tenant, account, { ...ended, previousKeyExpiresAt: undefined }),
      set(
        lookup.fingerprint(account.id),
        { ...ended, previous: undefined },
        { expected: { fingerprint: key.fingerprint }, onConditionFailed: () => new StaleReadError() },
      ),
    ],
    audit: [{ ...note, action: isMaker ? 'service_account.ended' : 'service_account.previous_key_ended' }],
  };
};
