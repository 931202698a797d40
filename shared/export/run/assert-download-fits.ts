/** Fails an export that is only to be downloaded once it has more bytes than the service hands out. */
import { JobFailure } from '../../job/index.ts';
import { type ExportDeps, exportSizes } from '../export-deps.ts';
import type { ExportRecord } from '../model/record.ts';

export const assertDownloadFits = (
  { download, bytes }: Pick<ExportRecord, 'download' | 'bytes'>,
  { sizes }: ExportDeps,
): void => {
  const maxBytes = sizes?.downloadBytes ?? exportSizes.downloadBytes;
  if (!download || bytes <= maxBytes) return;
  throw new JobFailure(
    'CONFLICT',
    `The files have more than ${maxBytes} bytes, the most that can be downloaded. Export fewer collections, or into a storage destination`,
    { bytes, maxBytes },
  );
};
