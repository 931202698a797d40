/** The exports of an organization, newest first: ids sort by time. */
import { spanOf } from '../../audit/index.ts';
import { listMatching } from '../../job/index.ts';
import { idBounds, omitUndefined, type Tenant } from '../../platform/index.ts';
import { type ExportRecord, exportPrefix } from '../model/record.ts';

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
  return { exports: items, next };
};
