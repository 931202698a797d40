import { compareNames } from '../../archive/index.ts';
import type { AuthUser } from '../../project/index.ts';

export const userName = (id: string): Buffer => Buffer.from(`accounts/${id}`);

export interface NamedUser extends AuthUser {
  readonly name: Buffer;
}

/** Users arrive in id order, which differs slightly from the name order of an archive: this much is buffered and sorted. */
const heldBytesMax = 32 << 20;

/** The users in name order. Throws if they are further out of order than the buffer can correct. */
export async function* sortUsers(users: AsyncIterable<AuthUser>): AsyncGenerator<NamedUser, void, undefined> {
  let held: NamedUser[] = [];
  let heldBytes = 0;
  let last: Buffer | undefined;
  /** Sorts the buffer and yields its first `count` users. */
  function* release(count: number): Generator<NamedUser, void, undefined> {
    held.sort((a, b) => compareNames(a.name, b.name));
    for (const user of held.slice(0, count)) {
      if (last && compareNames(last, user.name) >= 0) throw new Error('the users of a project are not listed in id order');
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
