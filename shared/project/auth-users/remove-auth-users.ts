/** Removing users of Firebase Authentication. */
import * as z from 'zod';
import { callToolkit, isUnused, notTaken, type Toolkit } from './identity-toolkit.ts';

/** The most the API takes in one request. */
const removedAtOnceMax = 1_000;

/** What the project says of those it did not remove, by id. One that is not there is as it should be. */
export const removeAuthUsers = async (
  toolkit: Toolkit,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> => {
  const left = new Map<string, string>();
  for (let start = 0; start < ids.length; start += removedAtOnceMax) {
    const localIds = ids.slice(start, start + removedAtOnceMax);
    // Without force, only users that were disabled are removed.
    const answer = await callToolkit(toolkit, { path: '/accounts:batchDelete', body: { localIds, force: true }, signal });
    if (isUnused(answer)) continue;
    if (answer.status !== 200) throw notTaken(answer);
    for (const { index, localId, message } of Answer.parse(answer.body).errors)
      left.set(localId ?? localIds[index] ?? '', message.slice(0, 200));
  }
  return left;
};

const Answer = z.object({
  errors: z
    // An index of 0 is left out of the answer, as all that is zero.
    .array(z.object({ index: z.int().default(0), localId: z.string().optional(), message: z.string().default('not removed') }))
    .default([]),
});
