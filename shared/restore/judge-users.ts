/** What becomes of each user: the users of the backup beside those of the target, both in the order of names. */
import { isDeepStrictEqual } from 'node:util';
import { compareNames } from '../archive/index.ts';
import type { NamedUser } from '../backup/index.ts';
import type { MergeMode } from '../contract/restore.ts';
import { accountOf, isRedacted } from '../project/index.ts';
import type { ArchivedUser } from './users.ts';

export interface UserDecision {
  readonly id: string;
  readonly name: Buffer;
  readonly action: 'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged';
  /** The target's, where there is one. */
  readonly live: NamedUser | undefined;
}

/** Users that only the target has are left alone in every mode: a user is only ever removed by taking a restore back. */
export async function* judgeUsers(
  archived: AsyncIterable<ArchivedUser>,
  target: AsyncIterable<NamedUser>,
  mode: MergeMode,
): AsyncGenerator<UserDecision, void, undefined> {
  const live = target[Symbol.asyncIterator]();
  try {
    let next = await live.next();
    for await (const user of archived) {
      while (!next.done && compareNames(next.value.name, user.name) < 0) next = await live.next();
      const found = !next.done && next.value.name.equals(user.name) ? next.value : undefined;
      yield { id: user.id, name: user.name, action: actionOf(user, found, mode), live: found };
    }
  } finally {
    await live.return?.();
  }
}

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
