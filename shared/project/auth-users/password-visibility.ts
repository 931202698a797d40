/** Replaces a hash without permission to see it: "REDACTED" in base64. */
const redacted = 'UkVEQUNURUQ=';

interface Account {
  readonly passwordHash?: unknown;
  readonly salt?: unknown;
  /** 0: hashed by the project. Other hashes were imported with parameters that the API does not return; a sign-in replaces them. */
  readonly version?: unknown;
}

/** `hidden`: the user has a password, but its hash is missing or unusable. */
export const passwordOf = ({ passwordHash, version }: Account): 'none' | 'shown' | 'hidden' => {
  if (passwordHash === undefined || passwordHash === null) return 'none';
  return isRedacted({ passwordHash }) || (version !== undefined && version !== 0) ? 'hidden' : 'shown';
};

/** Whether the hash is redacted: two such accounts may have different passwords. */
export const isRedacted = ({ passwordHash }: Pick<Account, 'passwordHash'>): boolean =>
  passwordHash === '' || passwordHash === redacted;

/** Replaces a message of the service that quotes the hash or the salt. */
export const withoutPassword = ({ passwordHash, salt }: Account, message: string): string =>
  [passwordHash, salt].some((secret) => typeof secret === 'string' && secret !== '' && message.includes(secret))
    ? 'Firebase Authentication rejected the user'
    : message.slice(0, 200) || 'Firebase Authentication rejected the user';
