/** The API keys of an organization. The text of a key is shown once; only its fingerprint is stored. */
import type * as z from 'zod/mini';
import { type Actor, auditEntry, auditNote } from '../../audit/index.ts';
import { type Role, roleAtLeast } from '../../contract/access.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { apiKeyDays, apiKeyDaysMax, apiKeysPerOrganization, apiKeyWarningDays } from '../../contract/limits.ts';
import type { ApiKey } from '../../contract/models/api-key.ts';
import {
  after,
  bestEffort,
  type Change,
  commit,
  create,
  fingerprint,
  get,
  getAll,
  iso,
  newId,
  omitUndefined,
  remove,
  StaleReadError,
  set,
  type Tenant,
  takePage,
  type Write,
  walk,
} from '../../platform/index.ts';
import type { CallerContext } from '../model/caller-context.ts';
import { countOf, whileMember } from '../model/organization-guards.ts';
import { type ApiKeyRecord, apiKeyPrefix, type FingerprintRecord, lookup, organizationKey } from '../model/record.ts';
import { newKeyToken } from './key-token.ts';

const daySeconds = 24 * 3_600;

interface ApiKeyInput extends Pick<ApiKeyRecord, 'name' | 'role' | 'permissions'> {
  readonly projectIds: readonly string[] | null;
  readonly allowedAddresses: readonly string[] | null;
  readonly expiresAt?: string | undefined;
}

const distinct = <T>(values: readonly T[] | null | undefined): readonly T[] | undefined =>
  values ? [...new Set(values)] : undefined;

export const createApiKey = (
  { tenant, actor }: CallerContext,
  { name, role, permissions, projectIds, allowedAddresses, expiresAt }: ApiKeyInput,
  now: Date,
): { key: ApiKeyRecord; apiKey: string; change: Change } => {
  const id = newId('apiKey', now);
  const apiKey = newKeyToken(id);
  const key: ApiKeyRecord = {
    ...organizationKey.apiKey(tenant, id),
    id,
    name,
    role,
    permissions: [...new Set(permissions)],
    ...omitUndefined({ projectIds: distinct(projectIds), allowedAddresses: distinct(allowedAddresses) }),
    expiresAt: checkExpiry(expiresAt, now) ?? iso(after(now, apiKeyDays * daySeconds)),
    expirySetAt: iso(now),
    createdBy: actor,
    grantedBy: actor,
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const secret: FingerprintRecord = {
    ...lookup.fingerprint(id),
    accountId: id,
    organizationId: tenant.organizationId,
    fingerprint: fingerprint(apiKey),
  };
  const limit = { max: apiKeysPerOrganization, message: `An organization can have at most ${apiKeysPerOrganization} API keys` };
  return {
    key,
    apiKey,
    change: {
      writes: [
        create(key),
        create(secret),
        countOf(tenant, { counter: 'apiKeyCount', amount: 1, limit }),
        whileMember(tenant, actor.id),
      ],
      audit: [auditNote(tenant, { type: 'api_key', id, details: settingsOfKey(key) })],
    },
  };
};

/** Of an expiry that is given: it must be a moment of the future that is not too far away. */
const checkExpiry = (expiresAt: string | undefined, now: Date): string | undefined => {
  if (expiresAt === undefined) return undefined;
  const moment = new Date(expiresAt);
  if (moment <= now) throw invalid('expiresAt', 'must be in the future');
  if (moment > after(now, apiKeyDaysMax * daySeconds))
    throw invalid('expiresAt', `must be at most ${apiKeyDaysMax} days from now: an API key always expires`);
  return iso(moment);
};

const settingsOfKey = ({ name, role, permissions, projectIds, allowedAddresses, expiresAt }: ApiKeyRecord) => ({
  name,
  role,
  permissions,
  projectIds: projectIds ?? null,
  allowedAddresses: allowedAddresses ?? null,
  expiresAt,
});

export const readApiKey = async (tenant: Tenant, id: string): Promise<ApiKeyRecord> => {
  const key = isId('apiKey', id) ? await get(organizationKey.apiKey(tenant, id)) : undefined;
  if (!key) throw noSuchKey();
  return key;
};

const noSuchKey = (): ApiError => new ApiError('API_KEY_NOT_FOUND', 'API key not found');

/** All API keys, for the sweep that warns before one expires. */
export const apiKeysOf = (tenant: Tenant): AsyncGenerator<ApiKeyRecord> =>
  walk<ApiKeyRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: apiKeyPrefix });

/** Who answers for a key: the access that it has is theirs to give. */
export const grantorOf = ({ grantedBy, createdBy }: ApiKeyRecord): Actor => grantedBy ?? createdBy;

/** The keys that a person answers for. They stay when the person leaves or is no longer an admin; the audit log names them. */
export const keysGrantedBy = async (tenant: Tenant, userId: string): Promise<readonly ApiKeyRecord[]> => {
  const found: ApiKeyRecord[] = [];
  for await (const key of apiKeysOf(tenant)) if (grantorOf(key).id === userId) found.push(key);
  return found;
};

/** Earlier versions noted a refused call as a use. */
const lastRefusalOf = async (tenant: Tenant, id: string): Promise<string | null> => {
  const { at = null, refusedAt = at } = (await get(organizationKey.seen(tenant, id))) ?? {};
  return refusedAt;
};

/** What the API shows of keys beside their records. */
export interface KeyNotes {
  /** When each key was last used, and the roles of the members who answer for them; both by id. */
  readonly lastUses: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, Role>;
}

/** `userId`: a person who answers for the keys from now on. */
export const readKeyNotes = async (tenant: Tenant, keys: readonly ApiKeyRecord[], userId?: string): Promise<KeyNotes> => {
  const users = new Set(keys.flatMap((key) => [key.createdBy.id, grantorOf(key).id]));
  if (userId !== undefined) users.add(userId);
  const [seen, members] = await Promise.all([
    getAll(keys.map(({ id }) => organizationKey.seen(tenant, id))),
    getAll([...users].map((id) => organizationKey.member(tenant, id))),
  ]);
  return {
    lastUses: new Map(keys.flatMap(({ id }, n) => (seen[n]?.at ? [[id, seen[n].at]] : []))),
    roles: new Map(members.flatMap((member) => (member ? [[member.userId, member.role]] : []))),
  };
};

/** A page of API keys, newest first. */
export const listApiKeys = (
  tenant: Tenant,
  { limit, after: position }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ items: readonly ApiKeyRecord[]; next: string | undefined }> => {
  const range = {
    pk: `ORG#${tenant.organizationId}`,
    prefix: apiKeyPrefix,
    newestFirst: true,
    after: position,
    limit: limit + 1,
  };
  return takePage(walk<ApiKeyRecord>(range), limit);
};

/**
 * The days of the last warning that is due before a key expires, 0 once it has expired; undefined while none is. A key that was meant
 * to live no longer than the time of a warning gets none: it ends as planned.
 */
export const expiryWarningOf = (
  { expiresAt, expirySetAt }: Pick<ApiKeyRecord, 'expiresAt' | 'expirySetAt'>,
  now: Date,
): number | undefined => {
  const daysOf = (ms: number): number => ms / (daySeconds * 1_000);
  const life = daysOf(Date.parse(expiresAt) - Date.parse(expirySetAt));
  const left = daysOf(Date.parse(expiresAt) - now.getTime());
  return [...apiKeyWarningDays, 0].findLast((days) => left <= days && life > Math.max(days, apiKeyWarningDays[1]));
};

/** Writes one audit entry for each key that someone still uses after it has expired; such calls are refused. */
export const auditExpiredUses = async (tenant: Tenant, keys: readonly ApiKeyRecord[], now: Date): Promise<void> => {
  for (const { id, name, expiresAt, expiredUseAt = '' } of keys) {
    if (expiresAt > iso(now) || expiredUseAt > expiresAt) continue;
    const lastUsedAt = await lastRefusalOf(tenant, id);
    if (lastUsedAt === null || lastUsedAt <= expiresAt) continue;
    const entry = auditEntry('api_key.expired_use', {
      note: auditNote(tenant, { type: 'api_key', id, details: { name, expiresAt, lastUsedAt } }),
      actor: { type: 'api_key', id, email: null, name },
      origin: { ip: null, userAgent: null, requestId: id },
      now,
    });
    const told = set(organizationKey.apiKey(tenant, id), { expiredUseAt: lastUsedAt }, { expected: { expiresAt } });
    // A key that changes meanwhile is looked at again in the next sweep.
    await bestEffort('audit the use of an expired API key', commit([told, entry]));
  }
};

/** The key as the API shows it. */
export const apiKeyData = (key: ApiKeyRecord, { lastUses, roles }: KeyNotes, now: Date): z.input<typeof ApiKey> => {
  const withRole = (person: Actor) => ({ ...person, role: roles.get(person.id) ?? null });
  const { expiresAt, rotatedAt = null, previousKeyExpiresAt = '' } = key;
  return {
    ...key,
    permissions: [...key.permissions],
    projectIds: key.projectIds ? [...key.projectIds] : null,
    allowedAddresses: key.allowedAddresses ? [...key.allowedAddresses] : null,
    status: expiresAt <= iso(now) ? 'expired' : expiryWarningOf(key, now) === undefined ? 'active' : 'expiring',
    lastUsedAt: lastUses.get(key.id) ?? null,
    createdBy: withRole(key.createdBy),
    grantedBy: withRole(grantorOf(key)),
    rotatedAt,
    previousKeyExpiresAt: previousKeyExpiresAt > iso(now) ? previousKeyExpiresAt : null,
  };
};

/** Changes the given fields; null removes a limit. An empty input writes nothing, not even an audit entry. */
export const updateApiKey = (
  { tenant, actor }: CallerContext,
  { key, input, now }: { readonly key: ApiKeyRecord; readonly input: Partial<Changes>; readonly now: Date },
): { key: ApiKeyRecord; change: Change } => {
  const { name, role, permissions, projectIds, allowedAddresses } = input;
  const expiresAt = checkExpiry(input.expiresAt, now);
  const given = {
    ...omitUndefined({ name, role, permissions: distinct(permissions), expiresAt, expirySetAt: expiresAt && iso(now) }),
    ...(projectIds !== undefined && { projectIds: distinct(projectIds) }),
    ...(allowedAddresses !== undefined && { allowedAddresses: distinct(allowedAddresses) }),
  };
  if (Object.keys(given).length === 0) return { key, change: { writes: [], audit: [] } };
  const isWider = isWidened(key, omitUndefined({ ...key, ...given }) as ApiKeyRecord);
  const changes = { ...given, ...(isWider && { grantedBy: actor }), updatedAt: iso(now) };
  const changed = omitUndefined({ ...key, ...changes }) as ApiKeyRecord;
  return {
    key: changed,
    change: {
      writes: [keyUpdate(tenant, key, changes), ...(isWider ? [whileMember(tenant, actor.id)] : [])],
      audit: [
        auditNote(tenant, {
          type: 'api_key',
          id: key.id,
          details: { ...settingsOfKey(changed), previous: settingsOfKey(key) },
        }),
      ],
    },
  };
};

/** Whether a key can do anything that it could not before: who allows that answers for it. */
const isWidened = (before: ApiKeyRecord, key: ApiKeyRecord): boolean =>
  !roleAtLeast(before.role, key.role) ||
  key.expiresAt > before.expiresAt ||
  [
    [before.permissions, key.permissions],
    [before.projectIds, key.projectIds],
    [before.allowedAddresses, key.allowedAddresses],
  ].some(([old, given]) => old !== undefined && !given?.every((one) => (old as readonly string[]).includes(one)));

type Changes = { readonly [F in keyof ApiKeyInput]: ApiKeyInput[F] | undefined };

/** The key must be as it was read. */
const keyUpdate = (tenant: Tenant, { id, updatedAt }: ApiKeyRecord, changes: Readonly<Record<string, unknown>>): Write =>
  set(organizationKey.apiKey(tenant, id), changes, {
    expected: { id, updatedAt },
    onConditionFailed: () => new StaleReadError(),
  });

/**
 * Makes a new text for the key. The old one works until the overlap ends, but never beyond its own expiry. Unless an expiry is given,
 * the new one lives as long as the old one was meant to. A second rotation within the overlap ends the oldest text.
 */
export const rotateApiKey = async (
  { tenant, actor }: CallerContext,
  {
    key,
    overlapHours,
    expiresAt,
    now,
  }: {
    readonly key: ApiKeyRecord;
    readonly overlapHours: number;
    readonly expiresAt: string | undefined;
    readonly now: Date;
  },
): Promise<{ key: ApiKeyRecord; apiKey: string; change: Change }> => {
  const { id } = key;
  const secret = await get(lookup.fingerprint(id));
  if (!secret) throw noSuchKey();
  const apiKey = newKeyToken(id);
  const lifeMs = Date.parse(key.expiresAt) - Date.parse(key.expirySetAt);
  const overlapEnd = [iso(after(now, overlapHours * 3_600)), key.expiresAt].sort()[0] ?? '';
  const previousKeyExpiresAt = overlapEnd > iso(now) ? overlapEnd : undefined;
  const changes = {
    expiresAt: checkExpiry(expiresAt, now) ?? iso(new Date(now.getTime() + lifeMs)),
    expirySetAt: iso(now),
    grantedBy: actor,
    rotatedAt: iso(now),
    updatedAt: iso(now),
    previousKeyExpiresAt,
  };
  const previous = previousKeyExpiresAt && { fingerprint: secret.fingerprint, expiresAt: previousKeyExpiresAt };
  return {
    key: omitUndefined({ ...key, ...changes }) as ApiKeyRecord,
    apiKey,
    change: {
      writes: [
        keyUpdate(tenant, key, changes),
        set(
          lookup.fingerprint(id),
          { fingerprint: fingerprint(apiKey), previous },
          { expected: { fingerprint: secret.fingerprint }, onConditionFailed: () => new StaleReadError() },
        ),
        whileMember(tenant, actor.id),
      ],
      audit: [
        auditNote(tenant, {
          type: 'api_key',
          id,
          details: {
            name: key.name,
            expiresAt: changes.expiresAt,
            previousKeyExpiresAt: previousKeyExpiresAt ?? null,
          },
        }),
      ],
    },
  };
};

/** Deletes the key and its fingerprint together: the next call with it is refused. */
export const removeApiKey = ({ tenant }: CallerContext, { id, name }: ApiKeyRecord): Change => ({
  writes: [
    remove(organizationKey.apiKey(tenant, id), noSuchKey, { id }),
    { remove: lookup.fingerprint(id) },
    { remove: organizationKey.seen(tenant, id) },
    countOf(tenant, { counter: 'apiKeyCount', amount: -1 }),
  ],
  audit: [auditNote(tenant, { type: 'api_key', id, details: { name } })],
});
