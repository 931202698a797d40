/** Which users of Firebase Authentication a project has, among those that are asked for. */
import * as z from 'zod';
import { callToolkit, isUnused, notTaken, type Toolkit } from './identity-toolkit.ts';

/** The most the API takes in one request. */
const askedAtOnceMax = 100;

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
  const found = new Map<string, KnownUser>();
  for (let start = 0; start < wanted.length; start += askedAtOnceMax) {
    const body = { [by]: wanted.slice(start, start + askedAtOnceMax) };
    const answer = await callToolkit(toolkit, { path: '/accounts:lookup', body, signal });
    if (isUnused(answer)) continue;
    if (answer.status !== 200) throw notTaken(answer);
    for (const user of Found.parse(answer.body).users) found.set(user.localId, user);
  }
  return found;
};

const Found = z.object({ users: z.array(z.looseObject({ localId: z.string().min(1) })).default([]) });
