import { compareNames } from '../../archive/index.ts';
import type { AuthUser } from '../../project/index.ts';

/** The name of a user among the records of an archive. */
export const userName = (id: string): Buffer => Buffer.from(`accounts/${id}`);

export interface NamedUser extends AuthUser {
  readonly name: Buffer;
}

/** Users come by their ids, which is not quite the order of names in an archive: so much is held back to be sorted. */
const heldBytesMax = 32 << 20;

/** The same users in the order of names, each after the one before: throws where the list is further out of order than is held back. */
export async function* sortUsers(users: AsyncIterable<AuthUser>): AsyncGenerator<NamedUser, void, undefined> {
  let held: NamedUser[] = [];
  let heldBytes = 0;
  let last: Buffer | undefined;
  /** The first half, or all. */
  function* release(count: number): Generator<NamedUser, void, undefined> {
    held.sort((a, b) => compareNames(a.name, b.name));
    for (const user of held.slice(0, count)) {
      if (last && compareNames(last, user.name) >= 0) throw new Error('the users of a project are not listed by their ids');
      last = user.name;
      yield user;
    }
    held = held.slice(count);
    heldBytes = held.reduce((sum, { json }) => sum + json.length, 0);
  }
  for await (const { id, json } of users) {
    held.push({ id, json, name: userName(id) });
    heldBytes += json.length;
    if (heldBytes >= heldBytesMax) yield* release(held.length >>> 1);
  }
  yield* release(held.length);
}
