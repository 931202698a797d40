/** What becomes of each user: the users of the backup beside those of the target, both in the order of names. */
import { isDeepStrictEqual } from 'node:util';
import { compareNames } from '../../archive/index.ts';
import type { NamedUser } from '../../backup/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { accountOf, isRedacted } from '../../project/index.ts';
import type { ArchivedUser, JoinedUser } from '../read/archived-users.ts';
import { isTouching } from './document-action.ts';
import { matchesRestoredUser } from './match-restored-user.ts';

export interface UserDecision {
  readonly id: string;
  readonly name: Buffer;
  readonly action: 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged';
  /** The target's, where there is one. */
  readonly live: NamedUser | undefined;
}

/**
 * Users that only the target has are left alone in every mode: a user is only ever removed by taking a restore back. `left`: what
 * a restore that did not do all it planned was to leave of each, of which nothing else is taken back.
 */
export async function* decideUserActions(
  archived: AsyncIterable<ArchivedUser>,
  target: AsyncIterable<NamedUser>,
  mode: MergeMode,
  left?: AsyncGenerator<JoinedUser, void, undefined>,
): AsyncGenerator<UserDecision, void, undefined> {
  const live = target[Symbol.asyncIterator]();
  try {
    let next = await live.next();
    for await (const user of archived) {
      while (!next.done && compareNames(next.value.name, user.name) < 0) next = await live.next();
      const found = !next.done && next.value.name.equals(user.name) ? next.value : undefined;
      const action = actionOf(user, found, mode);
      const isOurs = !left || isLeft((await left.next()).value ?? undefined, user, found);
      yield { id: user.id, name: user.name, action: isTouching[action] && !isOurs ? 'skip' : action, live: found };
    }
  } finally {
    await live.return?.();
    await left?.return();
  }
}

/**
 * Whether a user is in the target as the restore that is taken back was to leave it. One that was created is known by what lasts,
 * so that it may have signed in since; of one that was replaced the password must be that of the backup, too.
 */
const isLeft = (match: JoinedUser | undefined, { id, json: saved }: ArchivedUser, live: NamedUser | undefined): boolean => {
  if (match?.id !== id) throw new Error('the restore has not saved this user');
  if (!match.json || !live) return !match.json && !live;
  const [wanted, found] = [accountOf({ json: match.json }), accountOf(live)];
  if (!matchesRestoredUser(wanted, found)) return false;
  return !saved || isRedacted(wanted) || isRedacted(found) || wanted.passwordHash === found.passwordHash;
};

const actionOf = (
  { json }: ArchivedUser,
  live: NamedUser | undefined,
  mode: MergeMode,
): 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged' => {
  if (!json) return live ? 'delete' : 'unchanged';
  if (!live) return 'create';
  if (mode === 'skip_existing') return 'skip';
  const account = accountOf({ json });
  return !isRedacted(account) && isDeepStrictEqual(account, accountOf(live)) ? 'unchanged' : 'overwrite';
};
