/** Putting users of Firebase Authentication into a project, with their ids, passwords and all else that a list of them shows. */
import * as z from 'zod';
import type { HashConfig } from './hash-config.ts';
import { callToolkit, reasonOf, type Toolkit, type ToolkitAnswer } from './identity-toolkit.ts';
import { type AuthUser, accountOf } from './list-auth-users.ts';
import { passwordOf, withoutPassword } from './password-visibility.ts';

/** The most the API takes in one request. */
export const importedAtOnceMax = 1_000;
/** What the API takes is not written down; an account is about 1 KB. */
const requestBytesMax = 4 << 20;

export interface ImportOptions {
  /** Of the project where the passwords were hashed. Without, users who have one are refused: never are they put in without. */
  readonly hash: HashConfig | undefined;
  /** Whether users who are there are replaced. */
  readonly overwrite: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Why one was not put in. `exists`: it is there, and is not to be replaced. Messages hold no hash, salt or key. */
export interface Refused {
  readonly code: 'exists' | 'INVALID_ARGUMENT' | 'FAILED_PRECONDITION';
  readonly message: string;
}

/** Those that were not put in, by id; one that the project does not take fails alone. Putting the same ones in again changes nothing. */
export const importAuthUsers = async (
  toolkit: Toolkit,
  users: readonly AuthUser[],
  options: ImportOptions,
): Promise<ReadonlyMap<string, Refused>> => {
  const refused = new Map<string, Refused>();
  const ready: Account[] = [];
  for (const user of users) {
    const account = Account.safeParse(accountOf(user)).data;
    const flaw = flawOf(user, account, options);
    if (flaw) refused.set(user.id, flaw);
    else if (account) ready.push(asSent(account));
  }
  for (const batch of batchesOf(ready)) await send(toolkit, batch, options, refused);
  return refused;
};

const Account = z.looseObject({
  localId: z.string().min(1),
  passwordHash: z.string().optional(),
  salt: z.string().optional(),
  providerUserInfo: z.array(z.looseObject({ providerId: z.string().optional() })).optional(),
});
type Account = z.output<typeof Account>;

const flawOf = ({ id }: AuthUser, account: Account | undefined, { hash }: ImportOptions): Refused | undefined => {
  // Under another name nobody would know of it.
  if (account?.localId !== id) return strange;
  const password = passwordOf(account);
  return password === 'hidden' ? hidden : password === 'shown' && !hash ? unhashed : undefined;
};

const strange: Refused = { code: 'INVALID_ARGUMENT', message: 'What the backup holds under this name is no such user' };
const hidden: Refused = {
  code: 'FAILED_PRECONDITION',
  message:
    'The backup does not hold the hash of this password: the access it was made with may not see hashes (firebaseauth.configs.getHashConfig), or the password was imported and never used since',
};
const unhashed: Refused = {
  code: 'FAILED_PRECONDITION',
  message:
    'This user has a password, and the parameters it was hashed with cannot be read from the project that was backed up: it must be connected with access that has firebaseauth.configs.get and firebaseauth.configs.getHashConfig',
};

/** Ways to sign in that the service makes out for itself, of the address and of the number. */
const derived = new Set(['password', 'phone']);

/** The API gives bytes in the alphabet for addresses and takes them so; what it alone decides is not sent. */
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

/** A request that is refused as a whole is sent again in halves, until the account stands alone that is to blame. */
const send = async (
  toolkit: Toolkit,
  batch: readonly Account[],
  options: ImportOptions,
  refused: Map<string, Refused>,
): Promise<void> => {
  const { hash, overwrite, signal } = options;
  const hashing = hash && batch.some((account) => account.passwordHash !== undefined) ? hashingOf(hash) : {};
  const body = { users: batch, allowOverwrite: overwrite, ...hashing };
  const answer = await callToolkit(toolkit, { path: '/accounts:batchCreate', body, signal });
  if (answer.status === 200) {
    for (const { index, message } of Answer.parse(answer.body).error) {
      const account = batch[index];
      if (account) refused.set(account.localId, judged(account, message));
    }
  } else if (batch.length > 1 && isOfOne(answer)) {
    const middle = batch.length >>> 1;
    await send(toolkit, batch.slice(0, middle), options, refused);
    await send(toolkit, batch.slice(middle), options, refused);
  } else for (const { localId } of batch) refused.set(localId, notTakenFor(answer));
};

const hashingOf = ({ algorithm, signerKey, saltSeparator, rounds, memoryCost }: HashConfig) => ({
  hashAlgorithm: algorithm,
  signerKey: webSafe(signerKey),
  saltSeparator: webSafe(saltSeparator),
  rounds,
  memoryCost,
});

// An index of 0 is left out of the answer, as all that is zero.
const Answer = z.object({
  error: z.array(z.object({ index: z.int().default(0), message: z.string().default('') })).default([]),
});

/** Whether it can be for one of the accounts, and not for what is said of all. */
const isOfOne = (answer: ToolkitAnswer): boolean =>
  !/^(CONFIGURATION_NOT_FOUND|OPERATION_NOT_ALLOWED|\w+_HASH_\w+)$/.test(reasonOf(answer));

const judged = (account: Account, message: string): Refused =>
  /existing account/i.test(message)
    ? { code: 'exists', message }
    : { code: 'INVALID_ARGUMENT', message: withoutPassword(account, message) };

/** Here the service may quote what it was sent: only its word for what is wrong is told. */
const notTakenFor = (answer: ToolkitAnswer): Refused => ({
  code: 'INVALID_ARGUMENT',
  message: `Firebase Authentication did not take the user: ${reasonOf(answer) || answer.status}`,
});
