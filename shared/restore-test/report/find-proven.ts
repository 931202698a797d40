import { hasWrittenAll } from '../../archive/index.ts';
import { query, type Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';
import { type RunRecord, restoreTestKey, runPrefix } from '../model/record.ts';

type Tested = Pick<BackupRecord, 'id' | 'restoreTestedAt' | 'restoreTestedBy'>;
const attributes = ['sk', 'status', 'backupId', 'completedAt', 'target', 'counts', 'documentsWritten', 'removal'] as const;

/**
 * Ids of the tested backups whose last test wrote all it had to write. Runs of earlier versions may not have; their backups do not name
 * them, so that they are looked for among the newest runs (one read of up to 1 MB).
 */
export const findProven = async (tenant: Tenant, backups: readonly Tested[]): Promise<ReadonlySet<string>> => {
  const tested = backups.filter(({ restoreTestedAt }) => restoreTestedAt !== null);
  const proven = new Set(tested.flatMap(({ id, restoreTestedBy }) => (restoreTestedBy === undefined ? [] : [id])));
  const unsure = new Map(tested.flatMap(({ id, restoreTestedAt }) => (proven.has(id) ? [] : [[id, restoreTestedAt]])));
  if (unsure.size === 0) return proven;
  const { items } = await query<Pick<RunRecord, (typeof attributes)[number]>>({
    pk: restoreTestKey.run(tenant, '').pk,
    prefix: runPrefix,
    newestFirst: true,
    only: attributes,
    where: { status: 'passed' },
  });
  for (const run of items)
    if (run.backupId !== null && unsure.get(run.backupId) === run.completedAt && hasWrittenAll(run)) proven.add(run.backupId);
  return proven;
};
