import type { Archive } from '../../archive/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { lookUpAuthUsers, type Toolkit } from '../../project/index.ts';
import { archivedUsers } from '../read/archived-users.ts';

export interface UserPlan {
  readonly create: number;
  readonly overwrite: number;
  readonly skip: number;
}

/** 100 calls, some at once: a few seconds. */
const usersMax = 10_000;

/**
 * What a restore would do to the users of its target; undefined if they are too many to be looked up within a call. Whoever is
 * there counts as replaced: whether an account is the same cannot be told without its hash, which nobody is shown who looks.
 */
export const planUsers = async (
  archive: Archive,
  toolkit: Toolkit,
  mode: MergeMode,
  signal?: AbortSignal,
): Promise<UserPlan | undefined> => {
  if (archive.manifest.counts.users > usersMax) return undefined;
  const ids: string[] = [];
  for await (const { id, json } of archivedUsers(archive, { part: 'keys' })) if (json) ids.push(id);
  const there = (await lookUpAuthUsers(toolkit, ids, { signal })).size;
  const isKept = mode === 'skip_existing';
  return { create: ids.length - there, overwrite: isKept ? 0 : there, skip: isKept ? there : 0 };
};
