/** Starts exports. Apart from the other endpoints of exports, which need no clients of buckets. */
import { auditNote } from '../../shared/audit/index.ts';
import { exports as rows } from '../../shared/contract/endpoints/exports.ts';
import { assertExportCapacity, exportData, planExport, readExportRequest, startExport } from '../../shared/export/index.ts';
import { handle } from '../../shared/http/index.ts';
import { assertNamesFound } from '../../shared/restore/index.ts';

export const create = handle(rows.create, async ({ tenant, actor, body, now }) => {
  const request = await readExportRequest(tenant, body, now);
  const { backup, pointInTime, projectId, format, collections, destination, transform, recipients, retention, download } =
    request;
  const details = {
    projectId,
    backupId: backup.id,
    ...(pointInTime !== null && { pointInTime }),
    format,
    collections: collections.slice(0, 100),
    storageDestinationId: destination.id,
    // Public keys: who can read the files.
    ...(recipients && { recipients }),
    ...(retention !== undefined && { retention }),
    ...(download && { download }),
    ...(transform && { transform: { rules: transform.rules.length, allowUnmatched: transform.allowUnmatched } }),
    dryRun: body.dryRun,
  };
  if (pointInTime === null)
    await assertNamesFound(tenant, backup, {
      mergeMode: 'overwrite',
      collections,
      documents: undefined,
      includeSubcollections: true,
    });
  if (body.dryRun) {
    const data = await planExport(tenant, request);
    // A dry run reads the index of the backup, so it is audited.
    const note = auditNote(tenant, { type: 'backup', id: backup.id, details });
    return { data, status: 200, change: { writes: [], audit: [{ ...note, action: 'export.planned' as const }] } };
  }
  await assertExportCapacity(tenant);
  const { record, writes } = startExport(tenant, request, { createdBy: actor, now });
  return { data: exportData(record), change: { writes, audit: [auditNote(tenant, { type: 'export', id: record.id, details })] } };
});
