/** Merge join of the users of the backup and the target, both in the order of names. */
import { isDeepStrictEqual } from 'node:util';
import { compareNames } from '../../archive/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { isRedacted, userAccountOf } from '../../project/index.ts';
import type { NamedUser } from '../../stored-backup/index.ts';
import type { ArchivedUser, JoinedUser } from '../read/archived-users.ts';
import { type Action, isTouching } from './document-action-policy.ts';
import { matchesRestoredUser } from './match-restored-user.ts';

export interface UserDecision {
  readonly id: string;
  readonly name: Buffer;
  readonly action: Action;
  readonly live: NamedUser | undefined;
}

/**
 * Users that only the target has are left alone in every mode: only an undo deletes users. `undone`: the users that an incomplete
 * restore would have written; others are not undone.
 */
export async function* decideUserActions(
  archived: AsyncIterable<ArchivedUser>,
  {
    target,
    mode,
    undone,
  }: {
    readonly target: AsyncIterable<NamedUser>;
    readonly mode: MergeMode;
    readonly undone?: AsyncGenerator<JoinedUser, void, undefined> | undefined;
  },
): AsyncGenerator<UserDecision, void, undefined> {
  const live = target[Symbol.asyncIterator]();
  try {
    let next = await live.next();
    for await (const user of archived) {
      while (!next.done && compareNames(next.value.name, user.name) < 0) next = await live.next();
      const found = !next.done && next.value.name.equals(user.name) ? next.value : undefined;
      const action = actionOf(user, found, mode);
      const isOurs = !undone || isAsRestored((await undone.next()).value ?? undefined, user, found);
      yield { id: user.id, name: user.name, action: isTouching[action] && !isOurs ? 'skip' : action, live: found };
    }
  } finally {
    await live.return?.();
    await undone?.return();
  }
}

/**
 * Whether the target has the user as the undone restore would have left it. A created user is recognized by its stable fields, so
 * it may have signed in since; a replaced user must also have the backup's password.
 */
const isAsRestored = (match: JoinedUser | undefined, { id, json: saved }: ArchivedUser, live: NamedUser | undefined): boolean => {
  if (match?.id !== id) throw new Error('the journal does not contain this user');
  if (!match.json || !live) return !match.json && !live;
  const [wanted, found] = [userAccountOf({ json: match.json }), userAccountOf(live)];
  if (!matchesRestoredUser(wanted, found)) return false;
  return !saved || isRedacted(wanted) || isRedacted(found) || wanted.passwordHash === found.passwordHash;
};

const actionOf = ({ json }: ArchivedUser, live: NamedUser | undefined, mode: MergeMode): Action => {
  if (!json) return live ? 'delete' : 'unchanged';
  if (!live) return 'create';
  if (mode === 'skip_existing') return 'skip';
  const account = userAccountOf({ json });
  return !isRedacted(account) && isDeepStrictEqual(account, userAccountOf(live)) ? 'unchanged' : 'overwrite';
};
