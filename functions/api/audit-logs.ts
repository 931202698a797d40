import { exportEntries, listEntries } from '../../shared/audit/index.ts';
import { auditLogs } from '../../shared/contract/endpoints/audit-logs.ts';
import { handle } from '../../shared/http/index.ts';
import { iso, type Tenant } from '../../shared/platform/index.ts';
import { readResourceNames } from '../../shared/report/index.ts';

export const list = handle(auditLogs.list, async ({ tenant, query, page, now }) =>
  listEntries(tenant, { ...query, ...page, names: await namesFor(tenant, query) }, now),
);

const contentTypes = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json; charset=utf-8' } as const;

export const download = handle(auditLogs.download, async ({ tenant, query, now }) => {
  const name = `audit-logs-${iso(now).slice(0, 'YYYY-MM-DD'.length)}.${query.format}`;
  return {
    file: {
      body: await exportEntries(tenant, { ...query, names: await namesFor(tenant, query) }, now),
      contentType: contentTypes[query.format],
      headers: { 'content-disposition': `attachment; filename="${name}"` },
    },
  };
});

/** Only a search for text needs them. */
const namesFor = (tenant: Tenant, { search }: { readonly search?: string | undefined }) =>
  search?.trim() ? readResourceNames(tenant) : undefined;
