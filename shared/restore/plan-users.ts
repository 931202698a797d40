import type { Archive } from '../archive/index.ts';
import type { MergeMode } from '../contract/restore.ts';
import { lookUpAuthUsers, type Toolkit } from '../project/index.ts';
import { usersIn } from './users.ts';

export interface UserPlan {
  readonly create: number;
  readonly overwrite: number;
  readonly skip: number;
}

/** 100 calls, some at once: a few seconds. */
const usersMax = 10_000;
const atOnce = 8;
const lookedUpAtOnce = 100;

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
  for await (const { id, json } of usersIn(archive, { part: 'keys' })) if (json) ids.push(id);
  let there = 0;
  for (let start = 0; start < ids.length; start += atOnce * lookedUpAtOnce) {
    const groups = Array.from({ length: atOnce }, (_, n) => start + n * lookedUpAtOnce)
      .map((first) => ids.slice(first, first + lookedUpAtOnce))
      .filter((group) => group.length > 0);
    const found = await Promise.all(groups.map((group) => lookUpAuthUsers(toolkit, group, { signal })));
    there += found.reduce((sum, users) => sum + users.size, 0);
  }
  const isKept = mode === 'skip_existing';
  return { create: ids.length - there, overwrite: isKept ? 0 : there, skip: isKept ? there : 0 };
};
