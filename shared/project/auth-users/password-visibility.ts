/** What a user of Firebase Authentication shows of its password. */

/** What stands in place of a hash for whoever may not see it: "REDACTED" in base64. */
const redacted = 'UkVEQUNURUQ=';

interface Account {
  readonly passwordHash?: unknown;
  readonly salt?: unknown;
  /** 0: hashed by the project itself. Others were imported with parameters that nobody can ask for, until their first sign-in. */
  readonly version?: unknown;
}

/** `hidden`: there is one, and its hash is not here or of no use. */
export const passwordOf = ({ passwordHash, version }: Account): 'none' | 'shown' | 'hidden' => {
  if (passwordHash === undefined || passwordHash === null) return 'none';
  return isRedacted({ passwordHash }) || (version !== undefined && version !== 0) ? 'hidden' : 'shown';
};

/** Whether there is a password of which nothing is shown: two such accounts may differ in it. */
export const isRedacted = ({ passwordHash }: Pick<Account, 'passwordHash'>): boolean =>
  passwordHash === '' || passwordHash === redacted;

/** A message of the service that is fit to be kept: should it quote the hash or the salt, nothing is left of it. */
export const withoutPassword = ({ passwordHash, salt }: Account, message: string): string =>
  [passwordHash, salt].some((secret) => typeof secret === 'string' && secret !== '' && message.includes(secret))
    ? 'Firebase Authentication did not take the user'
    : message.slice(0, 200) || 'Firebase Authentication did not take the user';
