import type { Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';
import { type EntryOutcome, type EntryWriter, noProgress, type OpenEntry } from './entry-writer.ts';
import { completedBackups } from './kept-backups.ts';
import { type AssessOptions, searchKeptBackup } from './search-kept-backup.ts';

/**
 * Finds every document that has, or once had, the value of a query: in all backups, from the newest to the oldest, and in the captured
 * changes. Their paths are added to the entry. A search that runs out of time continues in another task where it stopped.
 */
export const resolveQuery = async (
  tenant: Tenant,
  {
    open: { entry, erasure },
    writer,
    options,
  }: { readonly open: OpenEntry; readonly writer: EntryWriter; readonly options: AssessOptions },
): Promise<EntryOutcome> => {
  const { projectId, searching } = entry;
  const { clock, deadline } = options;
  let { lastHeldBackupId, documentsFound, searchAfter } = entry;
  let newest: BackupRecord | undefined;
  const leaves = new Map<string, boolean>();
  const paths: string[] = [];
  // Documents are counted by their value, whatever was found before.
  const byValue = { ...erasure, paths: [] };
  const held = () => ({ lastHeldBackupId, documentsFound, searchAfter });
  if (entry.capturesAfter === undefined)
    for await (const backup of completedBackups(tenant, projectId, searchAfter)) {
      newest ??= backup;
      const earlier = searching?.backupId === backup.id ? searching : undefined;
      const isRest = lastHeldBackupId !== null;
      const known = [...erasure.paths, ...paths];
      const search = { erasure: byValue, known, leaves, isRest, start: earlier?.segments ?? 0 };
      const found = await searchKeptBackup(tenant, { backup, search, options });
      paths.push(...(found?.paths ?? []));
      const documents = (earlier?.documents ?? 0) + (found?.documents ?? 0);
      if (found?.searched !== undefined) {
        const stopped = { backupId: backup.id, segments: found.searched, documents };
        await writer.save({ ...held(), searching: stopped }, paths);
        return 'continues';
      }
      // Of shared leaves only those of the newest holder are counted.
      if (lastHeldBackupId === null && documents > 0) [lastHeldBackupId, documentsFound] = [backup.id, documents];
      searchAfter = backup.id;
      if (clock.now() >= deadline) {
        await writer.save({ ...held(), searching: undefined }, paths);
        return 'continues';
      }
    }
  const captures = await options.searchCaptures(tenant, {
    projectId,
    erasure: { ...erasure, paths: [...erasure.paths, ...paths] },
    ...(entry.capturesAfter !== undefined && { after: entry.capturesAfter }),
  });
  paths.push(...captures.paths);
  const isHeldByCaptures = captures.isFound || entry.isHeldByCaptures;
  if (captures.after !== undefined) {
    await writer.save({ ...held(), searching: undefined, capturesAfter: captures.after, isHeldByCaptures }, paths);
    return 'continues';
  }
  // Backups that were added during a search of several tasks are not searched yet.
  const isOneTask = entry.searchAfter === undefined && entry.capturesAfter === undefined;
  await writer.save(
    {
      status: entry.status === 'resolving' ? 'active' : entry.status,
      isResolved: true,
      isHeldByCaptures,
      lastHeldBackupId,
      documentsFound: documentsFound ?? 0,
      searchedBackupId: isOneTask ? newest?.id : undefined,
      ...noProgress,
    },
    paths,
  );
  return isOneTask ? 'done' : 'continues';
};
