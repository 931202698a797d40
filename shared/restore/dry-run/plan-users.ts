import type { Archive } from '../../archive/index.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { lookUpAuthUsers, type Toolkit } from '../../project/index.ts';
import type { PlanCounts } from '../model/record.ts';
import { archivedUsers } from '../read/archived-users.ts';

type UserPlan = Pick<PlanCounts, 'create' | 'overwrite' | 'skip'>;

/** 100 requests, some concurrent: a few seconds. */
const usersMax = 10_000;

/**
 * Plans the users of a restore; undefined if they are too many to look up within a request. An existing user counts as
 * overwritten, because a lookup does not show the password hash that would tell an equal account.
 */
export const planUsers = async (
  archive: Archive,
  { toolkit, mode, signal }: { readonly toolkit: Toolkit; readonly mode: MergeMode; readonly signal?: AbortSignal | undefined },
): Promise<UserPlan | undefined> => {
  if (archive.manifest.counts.users > usersMax) return undefined;
  const ids: string[] = [];
  for await (const { id, json } of archivedUsers(archive, { part: 'keys' })) if (json) ids.push(id);
  const existing = (await lookUpAuthUsers(toolkit, ids, { signal })).size;
  const isKept = mode === 'skip_existing';
  return { create: ids.length - existing, overwrite: isKept ? 0 : existing, skip: isKept ? existing : 0 };
};
