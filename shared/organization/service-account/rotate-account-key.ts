import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { after, type Change, fingerprint, iso, omitUndefined, StaleReadError, set } from '../../platform/index.ts';
import { newKeyToken } from '../api-key/key-token.ts';
import type { CallerContext } from '../model/caller-context.ts';
import { whileMember } from '../model/organization-guards.ts';
import { lookup, type ServiceAccountRecord } from '../model/record.ts';
import type { ServiceAccountKey } from './end-keys-of.ts';
import { accountUpdate, noServiceAccount } from './service-account.ts';

/**
 * Makes a new key, of which the caller is the maker. The old one works until the overlap ends, but a key that has ended stays so. A
 * second rotation within the overlap ends the oldest key.
 */
export const rotateAccountKey = (
  { tenant, actor }: CallerContext,
  {
    found,
    overlapHours,
    now,
  }: { readonly found: ServiceAccountKey | undefined; readonly overlapHours: number; readonly now: Date },
): { account: ServiceAccountRecord; apiKey: string; change: Change } => {
  if (!found) throw noServiceAccount();
  const { account, key } = found;
  const { id, createdBy, endedAt: _endedAt, previousKeyExpiresAt: _previous, ...kept } = account;
  const apiKey = newKeyToken(id);
  const expiresAt = overlapHours > 0 && !account.endedAt ? iso(after(now, overlapHours * 3_600)) : undefined;
  const changes = { createdBy: actor.id, endedAt: undefined, previousKeyExpiresAt: expiresAt };
  const previous = expiresAt && omitUndefined({ fingerprint: key.fingerprint, expiresAt, createdBy });
  return {
    account: {
      ...kept,
      id,
      pk: account.pk,
      sk: account.sk,
      createdBy: actor.id,
      ...(expiresAt && { previousKeyExpiresAt: expiresAt }),
    },
    apiKey,
    change: {
      writes: [
        accountUpdate(tenant, account, changes),
        set(
          lookup.fingerprint(id),
          { fingerprint: fingerprint(apiKey), previous, endedAt: undefined },
          { expected: { fingerprint: key.fingerprint }, onConditionFailed: () => new StaleReadError() },
        ),
        whileMember(tenant, actor.id),
      ],
      audit: [
        auditNote(tenant, {
          type: 'service_account',
          id,
          details: {
            previousCreatedBy: createdBy ?? null,
            previousKeyExpiresAt: expiresAt ?? null,
          },
        }),
      ],
    },
  };
};

/** Makes the caller the user whose membership the key depends on. A key that has ended must be rotated instead. */
export const takeOverServiceAccount = (
  { tenant, actor }: CallerContext,
  account: ServiceAccountRecord,
): { account: ServiceAccountRecord; change: Change } => {
  const { id, createdBy = null, endedAt } = account;
  if (endedAt) throw new ApiError('CONFLICT', 'The key has ended. Rotate it to get a new one', { endedAt });
  return {
    account: { ...account, createdBy: actor.id },
    change: {
      writes: [accountUpdate(tenant, account, { createdBy: actor.id }), whileMember(tenant, actor.id)],
      audit: [auditNote(tenant, { type: 'service_account', id, details: { previousCreatedBy: createdBy } })],
    },
  };
};
