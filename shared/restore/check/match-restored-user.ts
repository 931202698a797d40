/** Whether a user who is there by now is one that this restore has put in. */
import { type AuthUser, accountOf, lookUpAuthUsers, type Toolkit } from '../../project/index.ts';

/** What an account keeps of what it was made with, as long as nobody changes it; when it was made is known to the millisecond. */
const lasting = [
  'createdAt',
  'email',
  'phoneNumber',
  'displayName',
  'photoUrl',
  'customAttributes',
  'emailVerified',
  'disabled',
] as const;

/**
 * How many of the users are there as they were to be put in. A request whose answer was lost is sent again, and finds what it
 * has done itself: that is not somebody else's user.
 */
export const countRestoredUsers = async (toolkit: Toolkit, users: readonly AuthUser[], signal: AbortSignal): Promise<number> => {
  const ids = users.map(({ id }) => id);
  const there = await lookUpAuthUsers(toolkit, ids, { signal });
  return users.filter((user) => {
    const found = there.get(user.id);
    return found && matchesRestoredUser(accountOf(user), found);
  }).length;
};

type Account = Readonly<Record<string, unknown>>;

/** Whether an account is, as far as can be told, the one that was put in. */
export const matchesRestoredUser = (wanted: Account, found: Account): boolean =>
  lasting.every((field) => plain(found[field]) === plain(wanted[field]));

/** False and nothing are the same to the service, and so are a number and its digits. Addresses are kept in small letters. */
const plain = (value: unknown): string => (value === undefined || value === false ? '' : String(value).toLowerCase());
