/** Which users of Firebase Authentication a project has, among those that are asked for. */
import * as z from 'zod';
import { callToolkit, isUnused, notTaken, type Toolkit } from './identity-toolkit.ts';

/** The most the API takes in one request. */
const askedAtOnceMax = 100;
/** The service takes 500 calls a second; a call takes about 0.1 s. */
const callsAtOnce = 8;

/** A user without the password: whoever looks one up is shown that there is one, never its hash. Only a list has hashes. */
export type KnownUser = Readonly<Record<string, unknown>> & { readonly localId: string };

/** By id; those that are not there are left out. */
export const lookUpAuthUsers = async (
  toolkit: Toolkit,
  wanted: readonly string[],
  {
    by = 'localId',
    signal,
  }: { readonly by?: 'localId' | 'email' | 'phoneNumber'; readonly signal?: AbortSignal | undefined } = {},
): Promise<ReadonlyMap<string, KnownUser>> => {
  const groups = Array.from({ length: Math.ceil(wanted.length / askedAtOnceMax) }, (_, n) =>
    wanted.slice(n * askedAtOnceMax, (n + 1) * askedAtOnceMax),
  );
  const found = new Map<string, KnownUser>();
  for (let start = 0; start < groups.length; start += callsAtOnce) {
    const some = groups.slice(start, start + callsAtOnce).map((group) => lookUp(toolkit, { [by]: group }, signal));
    for (const users of await Promise.all(some)) for (const user of users) found.set(user.localId, user);
  }
  return found;
};

const lookUp = async (toolkit: Toolkit, body: unknown, signal: AbortSignal | undefined): Promise<readonly KnownUser[]> => {
  const answer = await callToolkit(toolkit, { path: '/accounts:lookup', body, signal });
  if (isUnused(answer)) return [];
  if (answer.status !== 200) throw notTaken(answer);
  return Found.parse(answer.body).users;
};

const Found = z.object({ users: z.array(z.looseObject({ localId: z.string().min(1) })).default([]) });
