/** Imports users into Firebase Authentication with their ids, passwords and all other fields that a listing returns. */
import * as z from 'zod/mini';
import type { GoogleAnswer } from '../google-json.ts';
import type { HashConfig } from './hash-config.ts';
import { callToolkit, type Toolkit, toolkitReason } from './identity-toolkit.ts';
import { type AuthUser, userAccountOf } from './list-auth-users.ts';
import { passwordOf, withoutPassword } from './password-visibility.ts';

/** The most users the API accepts in one request. */
export const importedAtOnceMax = 1_000;
/** The API's limit is not documented. An account is about 1 KB. */
const requestBytesMax = 4 << 20;

interface ImportOptions {
  /** Of the project that hashed the passwords. Without it, users with a password are rejected: they are never imported without it. */
  readonly hash: HashConfig | undefined;
  /** Whether existing users are replaced. */
  readonly overwrite: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Why a user was not imported. `exists`: it exists and must not be replaced. Messages contain no hash, salt or key. */
export interface Refused {
  readonly code: 'exists' | 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION';
  readonly message: string;
}

/** Imports users and returns those that were rejected, by id. A rejected user does not affect the others. Idempotent. */
export const importAuthUsers = async (
  toolkit: Toolkit,
  users: readonly AuthUser[],
  options: ImportOptions,
): Promise<ReadonlyMap<string, Refused>> => {
  const refused = new Map<string, Refused>();
  const ready: Account[] = [];
  for (const user of users) {
    const account = Account.safeParse(userAccountOf(user)).data;
    const flaw = flawOf(user, account, options);
    if (flaw) refused.set(user.id, flaw);
    else if (account) ready.push(asSent(account));
  }
  for (const batch of batchesOf(ready)) await send(toolkit, { batch, options, refused });
  return refused;
};

const Account = z.looseObject({
  localId: z.string().check(z.minLength(1)),
  passwordHash: z.optional(z.string()),
  salt: z.optional(z.string()),
  providerUserInfo: z.optional(z.array(z.looseObject({ providerId: z.optional(z.string()) }))),
});
type Account = z.output<typeof Account>;

const flawOf = ({ id }: AuthUser, account: Account | undefined, { hash }: ImportOptions): Refused | undefined => {
  // It would be imported under another id.
  if (account?.localId !== id) return wrongUser;
  const password = passwordOf(account);
  return password === 'hidden' ? hashMissing : password === 'shown' && !hash ? hashConfigMissing : undefined;
};

const wrongUser: Refused = { code: 'INVALID_ARGUMENT', message: 'The backup’s record does not describe this user' };
const hashMissing: Refused = {
  code: 'FAILED_PRECONDITION',
  message:
    'The backup does not contain the hash of this user’s password: the connection lacked the permission firebaseauth.configs.getHashConfig, or the password was imported and has not been used since',
};
const hashConfigMissing: Refused = {
  code: 'FAILED_PRECONDITION',
  message:
    'This user has a password, but the hash parameters of the backed-up project cannot be read: reconnect it with the permissions firebaseauth.configs.get and firebaseauth.configs.getHashConfig',
};

/** Providers that the service derives from the e-mail address and the phone number. */
const derived = new Set(['password', 'phone']);

/** The API expects URL-safe base64. Fields that only the service sets are not sent. */
const asSent = (account: Account): Account => {
  const { version: _, passwordHash, salt, providerUserInfo, ...rest } = account;
  return {
    ...rest,
    ...(passwordHash !== undefined && { passwordHash: webSafe(passwordHash) }),
    ...(salt !== undefined && { salt: webSafe(salt) }),
    ...(providerUserInfo && { providerUserInfo: providerUserInfo.filter(({ providerId }) => !derived.has(providerId ?? '')) }),
  };
};

const webSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

const batchesOf = (accounts: readonly Account[]): readonly (readonly Account[])[] => {
  const batches: Account[][] = [];
  let bytes = 0;
  for (const account of accounts) {
    const size = Buffer.byteLength(JSON.stringify(account));
    const last = batches.at(-1);
    if (last && last.length < importedAtOnceMax && bytes + size <= requestBytesMax) last.push(account);
    else {
      batches.push([account]);
      bytes = 0;
    }
    bytes += size;
  }
  return batches;
};

/** A request that is rejected as a whole is split in halves, until the account at fault is alone. */
const send = async (
  toolkit: Toolkit,
  {
    batch,
    options,
    refused,
  }: { readonly batch: readonly Account[]; readonly options: ImportOptions; readonly refused: Map<string, Refused> },
): Promise<void> => {
  const { hash, overwrite, signal } = options;
  const hashing = hash && batch.some((account) => account.passwordHash !== undefined) ? hashingOf(hash) : {};
  const body = { users: batch, allowOverwrite: overwrite, ...hashing };
  const answer = await callToolkit(toolkit, { path: '/accounts:batchCreate', body, signal });
  if (answer.status === 200) {
    for (const { index, message } of Answer.parse(answer.body).error) {
      const account = batch[index];
      if (account) refused.set(account.localId, toRefused(account, message));
    }
  } else if (batch.length > 1 && mayBeOneAccount(answer)) {
    const middle = batch.length >>> 1;
    await send(toolkit, { batch: batch.slice(0, middle), options, refused });
    await send(toolkit, { batch: batch.slice(middle), options, refused });
  } else for (const { localId } of batch) refused.set(localId, rejectedUser(answer));
};

const hashingOf = ({ algorithm, signerKey, saltSeparator, rounds, memoryCost }: HashConfig) => ({
  hashAlgorithm: algorithm,
  signerKey: webSafe(signerKey),
  saltSeparator: webSafe(saltSeparator),
  rounds,
  memoryCost,
});

// The API omits an index of 0.
const Answer = z.object({
  error: z._default(z.array(z.object({ index: z._default(z.int(), 0), message: z._default(z.string(), '') })), []),
});

/** Whether a single account may be the reason, not a setting of the whole request. */
const mayBeOneAccount = (answer: GoogleAnswer): boolean =>
  !/^(CONFIGURATION_NOT_FOUND|OPERATION_NOT_ALLOWED|\w+_HASH_\w+)$/.test(toolkitReason(answer));

const toRefused = (account: Account, message: string): Refused =>
  /existing account/i.test(message)
    ? { code: 'exists', message }
    : { code: 'INVALID_ARGUMENT', message: withoutPassword(account, message) };

/** The response may quote the request, so only its reason code is kept. */
const rejectedUser = (answer: GoogleAnswer): Refused => ({
  code: 'INVALID_ARGUMENT',
  message: `Firebase Authentication rejected the user: ${toolkitReason(answer) || answer.status}`,
});
