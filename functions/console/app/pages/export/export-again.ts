import type { DataOf } from '../../../../../shared/client/index.ts';
import { downloadChoice } from '../../data/export/export-words.ts';
import { lostRules, paths } from '../../paths.ts';

type ExportJob = DataOf<'GET /exports/{exportId}'>;

type Repeated = Pick<
  ExportJob,
  | 'backupId'
  | 'projectId'
  | 'pointInTime'
  | 'collections'
  | 'format'
  | 'columns'
  | 'exactText'
  | 'storageDestination'
  | 'download'
  | 'transform'
  | 'recipients'
  | 'retention'
>;

/** Addresses of pages have at most 10 KB. */
const charactersMax = 6_000;

/**
 * The form with the choices of an export; undefined if they are too many for an address, because a part of them would be another
 * export. The record does not show rules that masked it: the form asks for them.
 */
export const exportAgain = (job: Repeated): string | undefined => {
  const { backupId, projectId, pointInTime, collections, format, columns, exactText } = job;
  const { storageDestination, download, transform, recipients, retention } = job;
  const names = [...collections, ...(columns ?? []), ...recipients].join();
  // Names are encoded twice in an address.
  if (encodeURIComponent(encodeURIComponent(names)).length > charactersMax) return undefined;
  return paths.newExport({
    ...(pointInTime === null ? { backupId: backupId ?? undefined } : { projectId, pointInTime }),
    collections: collections.includes('*') ? undefined : collections,
    format,
    columns: columns ?? undefined,
    exactText: exactText ? 'yes' : undefined,
    storageId: download ? downloadChoice : storageDestination.id,
    recipients: recipients.length > 0 ? recipients : undefined,
    retention: retention === null ? undefined : String(retention),
    mask: transform && lostRules,
  });
};
