/** Files of exports through the service. They open a bucket, unlike the other endpoints that read exports. */
import { exports as rows } from '../../shared/contract/endpoints/exports.ts';
import { listExportFiles, readExportContent } from '../../shared/export/index.ts';
import { handle } from '../../shared/http/index.ts';

export const files = handle(rows.files, ({ tenant, params, page }) => listExportFiles(tenant, { ...params, ...page }));

export const content = handle(rows.content, ({ tenant, params, query }) =>
  readExportContent(tenant, { ...params, file: query.file, offset: Number(query.offset) }),
);
