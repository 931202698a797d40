import { auditNote } from '../../audit/index.ts';
import { invalid } from '../../contract/errors.ts';
import { type Change, fingerprint, type Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';
import type { ArchiveDeps } from '../read/open-archive.ts';
import { withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { browseArchive, type Entry } from './browse-archive.ts';
import { parseBrowsePath } from './browse-path.ts';

export interface BrowseQuery {
  readonly path: string;
  readonly showMissing: 'true' | 'false';
}

/** A page of the contents at a path. Each access is audited. */
export const browseBackup = async (
  tenant: Tenant,
  backup: BackupRecord,
  { path, showMissing }: BrowseQuery,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
  deps?: ArchiveDeps,
): Promise<{ entries: readonly Entry[]; next: string | undefined; change: Change }> => {
  const browsePath = parseBrowsePath(path);
  // A backup never changes, so the cursor is the rank of a record, which is shorter than its name.
  const list = fingerprint(`${backup.id}\n${showMissing}\n${path}`).slice(0, 12);
  const options = { limit, after: after === undefined ? undefined : rankOf(after, list), showMissing: showMissing === 'true' };
  const { entries, next } = await withArchiveInRequest(
    tenant,
    backup,
    ({ archive }) => browseArchive(archive, browsePath, options),
    deps,
  );
  return {
    entries,
    next: next === undefined ? undefined : `${list} ${next}`,
    change: {
      writes: [],
      audit: [auditNote(tenant, 'backup', backup.id, { projectId: backup.projectId, path })],
    },
  };
};

const rankOf = (after: string, list: string): number => {
  const [of, rank] = after.split(' ');
  if (of !== list) throw invalid('cursor', 'must be a nextCursor from this same list');
  return Number(rank);
};
