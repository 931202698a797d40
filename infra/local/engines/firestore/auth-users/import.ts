import * as z from 'zod/mini';
import { AuthError } from './error.ts';
import type { User, Users } from './users.ts';

const algorithms = new Set(
  'HMAC_SHA256 HMAC_SHA1 HMAC_MD5 SCRYPT PBKDF_SHA1 MD5 HMAC_SHA512 SHA1 BCRYPT PBKDF2_SHA256 SHA256 SHA512 STANDARD_SCRYPT ARGON2'.split(
    ' ',
  ),
);
const reservedClaims = new Set(
  'acr amr at_hash aud auth_time azp cnf c_hash exp iat iss jti nbf nonce sub firebase user_id'.split(' '),
);
const maxUsers = 1000;

/** The body of accounts:batchCreate. Unknown fields of a user are kept. */
export const ImportRequest = z.looseObject({
  users: z._default(z.array(z.looseObject({})), []),
  hashAlgorithm: z._default(z.string(), ''),
  signerKey: z._default(z.string(), ''),
  saltSeparator: z.optional(z.string()),
  rounds: z._default(z.number(), 0),
  memoryCost: z._default(z.number(), 0),
  sanityCheck: z._default(z.boolean(), false),
  allowOverwrite: z._default(z.boolean(), false),
});
export type ImportRequest = z.output<typeof ImportRequest>;

/** Imports accounts one by one; failures are reported by index. */
export function importUsers(
  users: Users,
  { pool, request, now }: { readonly pool: string; readonly request: ImportRequest; readonly now: number },
) {
  checkRequest(request);
  const error: { index: number; message: string }[] = [];
  const accepted: User[] = [];
  request.users.forEach((given, index) => {
    const message = problemOf(given, { users, pool, request });
    if (message === undefined) accepted.push(asStored(given as User, now));
    else error.push({ index, message });
  });
  users.put(pool, accepted);
  return { kind: 'identitytoolkit#UploadAccountResponse', ...(error.length > 0 ? { error } : {}) };
}

function checkRequest(request: ImportRequest): void {
  const { users, sanityCheck } = request;
  if (users.length === 0) throw new AuthError(400, 'MISSING_USER_ACCOUNT');
  if (users.length > maxUsers) throw new AuthError(400, 'MAXIMUM_USER_COUNT_EXCEEDED');
  users.forEach((user, index) => {
    checkBytes(user.passwordHash, `users[${index}].password_hash`);
    checkBytes(user.salt, `users[${index}].salt`);
  });
  if (users.some(({ passwordHash }) => passwordHash !== undefined)) checkHashing(request);
  noDuplicates(users, 'localId', 'DUPLICATE_LOCAL_ID');
  if (sanityCheck) noDuplicates(users, 'email', 'DUPLICATE_EMAIL');
}

/** Checks the parameters of the hash algorithm. */
function checkHashing({ hashAlgorithm, signerKey, saltSeparator, rounds, memoryCost }: ImportRequest): void {
  if (hashAlgorithm === '') throw new AuthError(400, 'MISSING_HASH_ALGORITHM');
  if (!algorithms.has(hashAlgorithm)) throw new AuthError(400, 'INVALID_HASH_ALGORITHM');
  checkBytes(signerKey, 'signer_key');
  checkBytes(saltSeparator, 'salt_separator');
  if ((hashAlgorithm === 'SCRYPT' || hashAlgorithm.startsWith('HMAC_')) && signerKey === '')
    throw new AuthError(400, 'INVALID_HASH_KEY');
  if (hashAlgorithm !== 'SCRYPT') return;
  if (saltSeparator === undefined) throw new AuthError(400, 'INVALID_HASH_SALT_SEPARATOR');
  if (!(rounds >= 1 && rounds <= 8)) throw new AuthError(400, 'INVALID_HASH_ROUNDS');
  if (!(memoryCost >= 1 && memoryCost <= 14)) throw new AuthError(400, 'INVALID_HASH_MEMORY_COST');
}

/** A single value that is not base64 (of either alphabet) fails the request; the service quotes the value. */
function checkBytes(value: unknown, field: string): void {
  if (value === undefined || (typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value))) return;
  throw new AuthError(400, `Invalid value at '${field}' (TYPE_BYTES), Base64 decoding failed for "${String(value)}"`);
}

/** Bytes are returned in the URL-safe alphabet. */
const webSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

function noDuplicates(users: readonly Readonly<Record<string, unknown>>[], field: string, code: string): void {
  const seen = new Set<unknown>();
  for (const user of users) {
    const value = user[field];
    if (typeof value !== 'string') continue;
    if (seen.has(value)) throw new AuthError(400, `${code} : ${value}`);
    seen.add(value);
  }
}

function problemOf(
  given: Readonly<Record<string, unknown>>,
  { users, pool, request }: { readonly users: Users; readonly pool: string; readonly request: ImportRequest },
): string | undefined {
  const { localId, email, phoneNumber, customAttributes } = given;
  if (typeof localId !== 'string' || localId === '') return 'localId is missing';
  if (localId.length > 128) return 'localId is invalid';
  if (email !== undefined && (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(email))) return 'email is invalid';
  if (phoneNumber !== undefined && (typeof phoneNumber !== 'string' || !/^\+\d{5,15}$/.test(phoneNumber)))
    return 'phone number format is invalid';
  const claims = claimsProblem(customAttributes);
  if (claims !== undefined) return claims;
  if (!request.allowOverwrite && users.get(pool, localId)) return 'localId belongs to an existing account - can not overwrite.';
  if (request.sanityCheck && typeof email === 'string')
    for (const other of users.all(pool))
      if (other.email === email.toLowerCase() && other.localId !== localId) return 'email exists in other account in database';
  return undefined;
}

function claimsProblem(attributes: unknown): string | undefined {
  if (attributes === undefined || attributes === '') return undefined;
  if (typeof attributes !== 'string') return 'Invalid custom claims provided.';
  if (attributes.length > 1000) return 'Custom claims provided are too large.';
  try {
    const claims: unknown = JSON.parse(attributes);
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return 'Invalid custom claims provided.';
    return Object.keys(claims).some((claim) => reservedClaims.has(claim))
      ? 'Custom claims provided include a reserved claim.'
      : undefined;
  } catch {
    return 'Invalid custom claims provided.';
  }
}

/** The stored account: the imported fields plus defaults. */
export function asStored(given: User, now: number): User {
  const user: Record<string, unknown> = { emailVerified: false, disabled: false, createdAt: String(now), ...given };
  if (given.email !== undefined) user.email = given.email.toLowerCase();
  if (given.passwordHash !== undefined) {
    user.passwordHash = webSafe(given.passwordHash);
    user.passwordUpdatedAt ??= now;
  }
  if (given.salt !== undefined) user.salt = webSafe(given.salt);
  user.validSince ??= String(Math.floor(now / 1000));
  user.providerUserInfo = providersOf(given, user.email);
  return user as User;
}

function providersOf(given: User, email: unknown): readonly unknown[] {
  const providers: { readonly providerId?: string }[] = [...(given.providerUserInfo ?? [])];
  const has = (id: string) => providers.some(({ providerId }) => providerId === id);
  const add = (provider: { readonly providerId: string; readonly [field: string]: unknown }) => providers.push(provider);
  if (given.passwordHash !== undefined && email !== undefined && !has('password'))
    add({ providerId: 'password', rawId: email, email, federatedId: email });
  if (given.phoneNumber !== undefined && !has('phone'))
    add({ providerId: 'phone', rawId: given.phoneNumber, phoneNumber: given.phoneNumber });
  return providers;
}
