/** Tells a user that this restore imported from one that someone else created. */
import { type AuthUser, lookUpAuthUsers, type Toolkit, userAccountOf } from '../../project/index.ts';

/** Fields that sign-ins do not change; `createdAt` is exact to the millisecond. */
const stableFields = [
  'createdAt',
  'email',
  'phoneNumber',
  'displayName',
  'photoUrl',
  'customAttributes',
  'emailVerified',
  'disabled',
] as const;

/** How many of the users this restore imported itself: a request whose response was lost finds its own users when repeated. */
export const countRestoredUsers = async (toolkit: Toolkit, users: readonly AuthUser[], signal: AbortSignal): Promise<number> => {
  const ids = users.map(({ id }) => id);
  const existing = await lookUpAuthUsers(toolkit, ids, { signal });
  return users.filter((user) => {
    const found = existing.get(user.id);
    return found && matchesRestoredUser(userAccountOf(user), found);
  }).length;
};

type Account = Readonly<Record<string, unknown>>;

export const matchesRestoredUser = (wanted: Account, found: Account): boolean =>
  stableFields.every((field) => normalized(found[field]) === normalized(wanted[field]));

/** The service treats false like absent and numbers like digits, and stores addresses in lower case. */
const normalized = (value: unknown): string => (value === undefined || value === false ? '' : String(value).toLowerCase());
