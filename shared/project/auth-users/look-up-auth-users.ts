import * as z from 'zod/mini';
import { mapConcurrent } from '../../platform/index.ts';
import { callToolkit, isUnused, rejectedRequest, type Toolkit } from './identity-toolkit.ts';

/** The most users the API accepts in one request. */
const maxUsersPerCall = 100;
/** The API allows 500 calls a second; a call takes about 0.1 s. */
const maxConcurrentCalls = 8;

/** A user without the password hash, which only a listing returns. */
export type KnownUser = Readonly<Record<string, unknown>> & { readonly localId: string };

/** Looks up users by id, e-mail address or phone number. The result is keyed by id; missing users are omitted. */
export const lookUpAuthUsers = async (
  toolkit: Toolkit,
  values: readonly string[],
  {
    by = 'localId',
    signal,
  }: { readonly by?: 'localId' | 'email' | 'phoneNumber'; readonly signal?: AbortSignal | undefined } = {},
): Promise<ReadonlyMap<string, KnownUser>> => {
  const groups = Array.from({ length: Math.ceil(values.length / maxUsersPerCall) }, (_, n) =>
    values.slice(n * maxUsersPerCall, (n + 1) * maxUsersPerCall),
  );
  const found = await mapConcurrent(groups, maxConcurrentCalls, (group) => lookUp(toolkit, { [by]: group }, signal));
  return new Map(found.flat().map((user) => [user.localId, user]));
};

const lookUp = async (toolkit: Toolkit, body: unknown, signal: AbortSignal | undefined): Promise<readonly KnownUser[]> => {
  const answer = await callToolkit(toolkit, { path: '/accounts:lookup', body, signal });
  if (isUnused(answer)) return [];
  if (answer.status !== 200) throw rejectedRequest(answer);
  return Found.parse(answer.body).users;
};

const Found = z.object({ users: z._default(z.array(z.looseObject({ localId: z.string().check(z.minLength(1)) })), []) });
