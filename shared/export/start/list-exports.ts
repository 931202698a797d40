/** The exports of an organization, newest first: ids sort by time. */
import { spanOf } from '../../audit/index.ts';
import { listMatching } from '../../job/index.ts';
import { idBounds, jsonBytes, omitUndefined, type Tenant, takeWithinBytes } from '../../platform/index.ts';
import { exportData } from '../model/export-view.ts';
import { type ExportRecord, exportPrefix } from '../model/record.ts';

/** A function returns at most 6 MB, and an export shows up to 200 KB of names. */
const responseBytesMax = 5_000_000;

interface ExportFilter {
  readonly projectId?: string | undefined;
  readonly backupId?: string | undefined;
  readonly status?: ExportRecord['status'] | undefined;
  /** A date or a date-time, both inclusive; a bare date is its whole day, UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const listExports = async (
  tenant: Tenant,
  { from, to, projectId, backupId, status }: ExportFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ readonly exports: readonly ExportRecord[]; readonly next: string | undefined }> => {
  const { start, end } = spanOf({ from, to });
  const bounds = idBounds('export', start, end);
  const range = {
    pk: `ORG#${tenant.organizationId}`,
    prefix: exportPrefix,
    from: `${exportPrefix}${bounds.first}`,
    to: `${exportPrefix}${bounds.last}`,
    newestFirst: true,
    where: omitUndefined({ projectId, backupId, status }),
  };
  const { items, next } = await listMatching<ExportRecord>(range, () => true, page);
  const exports = takeWithinBytes(items, { sizeOf: (record) => jsonBytes(exportData(record)), maxBytes: responseBytesMax });
  return { exports, next: exports.length < items.length ? exports.at(-1)?.sk : next };
};
