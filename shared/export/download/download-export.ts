/** Files of an export through the service: listed, and read in pieces that one response holds. */
import type * as z from 'zod/mini';
import { auditNote } from '../../audit/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { downloadCallBytes, downloadMaxBytes } from '../../contract/limits.ts';
import type { ExportContent } from '../../contract/models/export.ts';
import type { Change, Tenant } from '../../platform/index.ts';
import { fileDigest } from '../model/file-digest.ts';
import type { ExportedFile, ExportRecord } from '../model/record.ts';
import { altered, type WantedExport, withExportFiles } from './with-export-files.ts';

interface FilePage extends WantedExport {
  readonly limit: number;
  /** The name of the last file of the page before. */
  readonly after: string | undefined;
}

export const listExportFiles = (
  tenant: Tenant,
  { limit, after, ...wanted }: FilePage,
): Promise<{ readonly items: readonly ExportedFile[]; readonly next: string | undefined }> =>
  withExportFiles(tenant, wanted, async ({ files }) => {
    const start = after === undefined ? 0 : files.findIndex(({ name }) => name === after) + 1;
    const items = files.slice(start, start + limit);
    return { items, next: start + limit < files.length ? items.at(-1)?.name : undefined };
  });

interface WantedPiece extends WantedExport {
  readonly file: string;
  readonly offset: number;
}

/** Every piece is audited: it can be asked for alone. */
export const readExportContent = (
  tenant: Tenant,
  { file, offset, ...wanted }: WantedPiece,
): Promise<{ readonly data: z.input<typeof ExportContent>; readonly change: Change }> =>
  withExportFiles(tenant, wanted, async ({ record, files, store }) => {
    assertDownloadable(record);
    const found = files.find(({ name }) => name === file);
    if (!found) throw new ApiError('NOT_FOUND', 'The export has no such file', { file });
    const { bytes: totalBytes, sha256: digest } = found;
    if (offset > 0 && offset >= totalBytes) throw invalid('offset', `must be less than the size of the file, ${totalBytes}`);
    const length = Math.min(downloadCallBytes, totalBytes - offset);
    const piece = length === 0 ? new Uint8Array() : await store.get(file, { offset, length });
    if (length === totalBytes && fileDigest(piece) !== digest) throw altered(file);
    const end = offset + length;
    const { id, projectId, backupId } = record;
    const details = { projectId, backupId, file, offset, bytes: length };
    return {
      data: {
        file,
        offset,
        bytes: length,
        totalBytes,
        nextOffset: end < totalBytes ? end : null,
        content: Buffer.from(piece).toString('base64'),
      },
      change: { writes: [], audit: [auditNote(tenant, { type: 'export', id, details })] },
    };
  });

const assertDownloadable = ({ bytes, path, storageDestination }: ExportRecord): void => {
  if (bytes <= downloadMaxBytes) return;
  throw new ApiError(
    'CONFLICT',
    `The export has ${bytes} bytes, and at most ${downloadMaxBytes} are downloaded through the service. Read the files from the bucket`,
    { bytes, maxBytes: downloadMaxBytes, storageDestinationId: storageDestination.id, path },
  );
};
