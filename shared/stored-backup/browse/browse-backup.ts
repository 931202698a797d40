import { auditNote } from '../../audit/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { isDocumentPath } from '../../firestore/index.ts';
import { type Change, fingerprint, type Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';
import type { DocumentEntry } from '../read/document-entry.ts';
import type { ArchiveDeps } from '../read/open-archive.ts';
import { unprovenAt } from '../read/unproven-at.ts';
import { withArchiveInRequest } from '../read/with-archive-in-request.ts';
import { browseArchive, parseBrowsePath } from './browse-archive.ts';

interface BrowseRequest {
  readonly backup: BackupRecord;
  readonly query: {
    readonly path: string;
    readonly showMissing: 'true' | 'false';
    readonly descendants?: 'true' | 'false';
    readonly startAt?: string | undefined;
  };
  readonly page: { readonly limit: number; readonly after: string | undefined };
  readonly deps?: ArchiveDeps | undefined;
}

/** A page of the contents at a path. Each access is audited. */
export const browseBackup = async (
  tenant: Tenant,
  { backup, query: { path, showMissing, descendants = 'false', startAt }, page: { limit, after }, deps }: BrowseRequest,
): Promise<{ entries: readonly DocumentEntry[]; next: string | undefined; change: Change }> => {
  const browsePath = parseBrowsePath(path);
  // A backup never changes, so the cursor is the rank of a record, which is shorter than its name.
  if (startAt !== undefined && (!isDocumentPath(startAt) || !(path === '' || startAt.startsWith(`${path}/`))))
    throw invalid('startAt', 'must be the path of a document below path');
  if (startAt !== undefined && descendants === 'false' && browsePath.kind !== 'collection')
    throw invalid('startAt', 'needs the path of a collection, or descendants');
  const scope = descendants === 'true' || startAt !== undefined ? `\n${descendants}\n${startAt ?? ''}` : '';
  const list = fingerprint(`${backup.id}\n${showMissing}\n${path}${scope}`).slice(0, 12);
  const options = {
    limit,
    after: after === undefined ? undefined : rankOf(after, list),
    showMissing: showMissing === 'true',
    descendants: descendants === 'true',
    startAt,
  };
  const { entries, next } = await withArchiveInRequest(tenant, {
    backup,
    work: ({ archive }) => browseArchive(archive, browsePath, options),
    deps,
  }).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'NOT_FOUND' ? (unprovenAt(backup, path) ?? error) : error;
  });
  return {
    entries,
    next: next === undefined ? undefined : `${list} ${next}`,
    change: {
      writes: [],
      audit: [auditNote(tenant, { type: 'backup', id: backup.id, details: { projectId: backup.projectId, path } })],
    },
  };
};

const rankOf = (after: string, list: string): number => {
  const [of, rank] = after.split(' ');
  if (of !== list) throw invalid('cursor', 'must be a nextCursor from this same list');
  return Number(rank);
};
