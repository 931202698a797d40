import type { Archive } from '../../archive/index.ts';
import {
  type AuthUser,
  type KnownUser,
  letsShareEmails,
  lookUpAuthUsers,
  type Toolkit,
  userAccountOf,
} from '../../project/index.ts';
import { userName } from '../../stored-backup/index.ts';

interface ConflictContext {
  readonly toolkit: Toolkit;
  readonly backup: Archive;
  readonly signal: AbortSignal;
}

/**
 * Finds users whose e-mail address or phone number belongs to another user of the target by now; one of them could no longer
 * sign in, and an import does not check it. Users of the backup do not conflict, because they are restored as well. Messages by id.
 */
export const findUserConflicts = async (
  users: readonly AuthUser[],
  { toolkit, backup, signal }: ConflictContext,
): Promise<ReadonlyMap<string, string>> => {
  const conflicts = new Map<string, string>();
  const accounts = users.map((user): KnownUser => ({ ...userAccountOf(user), localId: user.id }));
  for (const [by, what] of fields) {
    const wanted = new Map(accounts.flatMap((account) => (valueIn(account, by) === '' ? [] : [[valueIn(account, by), account]])));
    const others = [...(await lookUpAuthUsers(toolkit, [...wanted.keys()], { by, signal })).values()]
      .map((other) => ({ id: other.localId, of: wanted.get(valueIn(other, by))?.localId }))
      .filter(({ id, of }) => of !== undefined && id !== of);
    if (others.length === 0 || (by === 'email' && (await letsShareEmails(toolkit, signal)))) continue;
    for (const { id, of = '' } of others)
      if (!(await backup.find(userName(id))))
        conflicts.set(of, `Its ${what} belongs to another user of the target by now: ${id}`);
  }
  return conflicts;
};

const fields = [
  ['email', 'e-mail address'],
  ['phoneNumber', 'phone number'],
] as const;

const valueIn = (account: KnownUser, by: 'email' | 'phoneNumber'): string => String(account[by] ?? '').toLowerCase();
