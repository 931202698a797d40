import { exports as rows } from '../../shared/contract/endpoints/exports.ts';
import {
  assertExportCapacity,
  cancelExport,
  exportData,
  getExport,
  listExports,
  resumeExport,
} from '../../shared/export/index.ts';
import { handle } from '../../shared/http/index.ts';
import { timelineOf } from '../../shared/job/index.ts';

export const list = handle(rows.list, async ({ tenant, query, page }) => {
  const { exports: found, next } = await listExports(tenant, query, page);
  return { items: found.map(exportData), next };
});

export const get = handle(rows.get, async ({ tenant, params }) => ({
  data: exportData(await getExport(tenant, params.exportId)),
}));

export const timeline = handle(rows.timeline, async ({ tenant, params }) => ({
  data: { entries: [...timelineOf(await getExport(tenant, params.exportId))] },
}));

export const cancel = handle(rows.cancel, async (call) => {
  const { record, change } = await cancelExport(call, call.params.exportId);
  return { data: exportData(record), change };
});

export const resume = handle(rows.resume, async ({ tenant, params, now }) => {
  await assertExportCapacity(tenant);
  const { record, change } = await resumeExport(tenant, params.exportId, now);
  return { data: exportData(record), change };
});
