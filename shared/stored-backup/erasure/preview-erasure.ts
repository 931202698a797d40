/** What an erasure would hide, found by the search that follows a real one. */
import type { LedgerEntry } from '../../archive/index.ts';
import { auditNote } from '../../audit/index.ts';
import type { ErasurePreview } from '../../contract/models/erasure.ts';
import { checkErasureInput, type ErasureInput, erasureContent } from '../../erasure/index.ts';
import { after, type Change, type Clock, clock, iso, type Tenant } from '../../platform/index.ts';
import { isInternalBackup, isWholeBackup, preferWhole } from '../model/backup-fields.ts';
import type { BackupRecord } from '../model/record.ts';
import type { ArchiveDeps, OpenArchive } from '../read/open-archive.ts';
import { withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { completedBackups } from './kept-backups.ts';
import { type HiddenSlots, type SearchResult, searchBackup } from './search-backup.ts';

interface PreviewRequest {
  readonly tenant: Tenant;
  readonly projectId: string;
  readonly input: Omit<ErasureInput, 'reason'>;
}

/** The function times out after 20 s. */
const workSeconds = 8;

/**
 * Searches the newest backup of a project, one of all collections if it can, without the documents that are erased already. A real erasure searches all backups, and the
 * captured changes, too.
 */
export const previewErasure = async (
  { tenant, projectId, input }: PreviewRequest,
  { deps, time = clock }: { readonly deps?: ArchiveDeps | undefined; readonly time?: Clock } = {},
): Promise<{ readonly data: ErasurePreview; readonly audit: Change['audit'] }> => {
  checkErasureInput(input);
  const { field } = input.query ?? {};
  const found = field === undefined ? { paths: input.paths?.length ?? 0 } : { fields: field };
  const backup = await preferWhole(newestBackups(tenant, projectId));
  if (!backup)
    return {
      data: { backupId: null, readTime: null, documents: 0, paths: [], complete: true },
      audit: [auditNote(tenant, { type: 'project', id: projectId, details: found })],
    };
  const now = time.now();
  const until = after(now, workSeconds);
  const entry = erasureContent(input, 'preview', iso(now));
  const work = ({ archive }: OpenArchive) => findAll(archive, entry, () => time.now() >= until);
  const { documents, named, isComplete } = await withArchiveInRequest(tenant, { backup, deps, work });
  return {
    data: {
      backupId: backup.id,
      readTime: backup.readTime,
      documents,
      paths: [...named],
      complete: isComplete && isWholeBackup(backup),
    },
    audit: [auditNote(tenant, { type: 'backup', id: backup.id, details: { projectId, ...found } })],
  };
};

async function* newestBackups(tenant: Tenant, projectId: string): AsyncGenerator<BackupRecord, void, undefined> {
  for await (const backup of completedBackups(tenant, projectId)) if (!isInternalBackup(backup)) yield backup;
}

interface Found extends Pick<SearchResult, 'documents' | 'named'> {
  readonly isComplete: boolean;
}

/** A query names documents by a value; what is below them is found by their paths, as it is once the entry has these. */
const findAll = async (archive: OpenArchive['archive'], entry: LedgerEntry, isOver: () => boolean): Promise<Found> => {
  const hidden: HiddenSlots = new WeakMap();
  const options = { isOver, hidden };
  const matched = await searchBackup(archive, entry, options);
  const isComplete = matched.searched === undefined;
  const { query, ...rest } = entry;
  if (!query || !entry.includeSubcollections || matched.paths.length === 0) return { ...matched, isComplete };
  const below = await searchBackup(archive, { ...rest, paths: matched.paths }, options);
  // Paths beyond those that an entry holds are not looked below.
  if (below.documents < matched.documents) return { ...matched, isComplete: false };
  return { ...below, isComplete: isComplete && below.searched === undefined };
};
