import * as z from 'zod/mini';
import { callToolkit, isUnused, rejectedRequest, type Toolkit } from './identity-toolkit.ts';

/** The most users the API accepts in one request. */
const maxUsersPerCall = 1_000;

/** Deletes users and returns the errors of those that were not deleted, by id. A missing user is no error. */
export const removeAuthUsers = async (
  toolkit: Toolkit,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const errors = new Map<string, string>();
  for (let start = 0; start < ids.length; start += maxUsersPerCall) {
    const localIds = ids.slice(start, start + maxUsersPerCall);
    // Without force, only disabled users are deleted.
    const answer = await callToolkit(toolkit, { path: '/accounts:batchDelete', body: { localIds, force: true }, signal });
    if (isUnused(answer)) continue;
    if (answer.status !== 200) throw rejectedRequest(answer);
    for (const { index, localId, message } of Answer.parse(answer.body).errors)
      errors.set(localId ?? localIds[index] ?? '', message.slice(0, 200));
  }
  return errors;
};

const Answer = z.object({
  errors: z._default(
    z
      // The API omits an index of 0.
      .array(
        z.object({
          index: z._default(z.int(), 0),
          localId: z.optional(z.string()),
          message: z._default(z.string(), 'not removed'),
        }),
      ),
    [],
  ),
});
