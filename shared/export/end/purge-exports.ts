import { type PurgeOptions, purgeObjects, workPartition } from '../../job/index.ts';
import { deletePartition, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { exportDeps } from '../export-deps.ts';
import { type ExportRecord, exportKey, exportPrefix } from '../model/record.ts';
import { deleteExportedFiles } from './delete-exported-files.ts';

/**
 * Deletes the exports of an organization with everything outside its partition; their files with `deleteBackupData`. False if the
 * deadline passed first. A running step finds the record gone, and ends.
 */
export const purgeExports = async (tenant: Tenant, options: PurgeOptions, openStore = exportDeps.openStore): Promise<boolean> => {
  for await (const record of walk<ExportRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: exportPrefix })) {
    if (options.clock.now() >= options.deadline) return false;
    const { id, pk, sk } = record;
    await purgeObjects(id, options, () => deleteExportedFiles(tenant, record, openStore));
    await deletePartition(workPartition(tenant, id));
    await removeAll([exportKey.running(tenant, id), { pk, sk }]);
  }
  return true;
};
