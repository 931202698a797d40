/** E-mail addresses and phone numbers that belong to somebody else by now: two accounts with one of them, and one can no longer sign in. */
import type { Archive } from '../../archive/index.ts';
import { userName } from '../../backup/index.ts';
import { type AuthUser, accountOf, type KnownUser, letsShareEmails, lookUpAuthUsers, type Toolkit } from '../../project/index.ts';

interface Place {
  readonly toolkit: Toolkit;
  readonly backup: Archive;
  readonly signal: AbortSignal;
}

/** Why a user cannot be put in, by id: the service itself would not look. Who is in the backup too was, or will be, as it says. */
export const findUserConflicts = async (users: readonly AuthUser[], place: Place): Promise<ReadonlyMap<string, string>> => {
  const clashes = new Map<string, string>();
  const accounts = users.map((user): KnownUser => ({ ...accountOf(user), localId: user.id }));
  for (const [by, what] of fields) {
    const wanted = new Map(accounts.flatMap((account) => (given(account, by) === '' ? [] : [[given(account, by), account]])));
    const others = [...(await lookUpAuthUsers(place.toolkit, [...wanted.keys()], { by, signal: place.signal })).values()]
      .map((other) => ({ id: other.localId, of: wanted.get(given(other, by))?.localId }))
      .filter(({ id, of }) => of !== undefined && id !== of);
    if (others.length === 0 || (by === 'email' && (await letsShareEmails(place.toolkit, place.signal)))) continue;
    for (const { id, of = '' } of others)
      if (!(await place.backup.find(userName(id))))
        clashes.set(of, `Its ${what} belongs to another user of the target by now: ${id}`);
  }
  return clashes;
};

const fields = [
  ['email', 'e-mail address'],
  ['phoneNumber', 'phone number'],
] as const;

const given = (account: KnownUser, by: 'email' | 'phoneNumber'): string => String(account[by] ?? '').toLowerCase();
