/** After an export: deletes its work items and the key of its masks, and its files if it did not complete or has expired. */
import { deleteWorkItems, maskSaltKey, workPartition } from '../../job/index.ts';
import { commit, get, isConflict, iso, log, type Tenant, update } from '../../platform/index.ts';
import type { ExportDeps } from '../export-deps.ts';
import { exportAudit } from '../model/export-notes.ts';
import { isActiveExport } from '../model/export-view.ts';
import { type ExportRecord, exportKey } from '../model/record.ts';
import { deleteExportedFiles } from './delete-exported-files.ts';
import { expireExport } from './expire-export.ts';
import { stopBuild } from './stop-build.ts';

interface CleanUpOptions {
  readonly deps: Pick<ExportDeps, 'openStore' | 'clock'>;
  /** Leaves files that cannot be deleted in the bucket. */
  readonly isGivenUp?: boolean;
}

/**
 * Idempotent. Rejects if a retry may help. The mark of the running export is removed once no worker can store a file any more: the
 * reaper cleans up as long as it exists.
 */
export const cleanUpExport = async (
  tenant: Tenant,
  exportId: string,
  { deps, isGivenUp = false }: CleanUpOptions,
): Promise<void> => {
  const record = await get(exportKey.export(tenant, exportId));
  if (record && (isActiveExport(record) || !(await endResumable(tenant, record, deps.clock.now())))) return;
  const running = exportKey.running(tenant, exportId);
  const mark = await get(running);
  const isLast = (mark?.dueAt ?? '') <= iso(deps.clock.now());
  if (record && record.status !== 'completed') {
    await stopBuild(tenant, record, deps.clock);
    await deleteFiles(tenant, record, { deps, isLast, isGivenUp });
  }
  await deleteWorkItems(workPartition(tenant, exportId));
  await commit([{ remove: maskSaltKey(tenant, exportId) }]);
  const isDone = record?.status !== 'completed' || (await expireExport(tenant, record, { deps, isGivenUp }));
  if (mark && isLast && isDone) await commit([{ remove: running }]);
};

/** False while a failed export can be resumed. From then on it cannot: its files are about to be deleted. */
const endResumable = async (tenant: Tenant, { id, attempt, resumableUntil }: ExportRecord, now: Date): Promise<boolean> => {
  if (resumableUntil === undefined) return true;
  if (resumableUntil > iso(now)) return false;
  const expected = { status: 'failed', attempt, resumableUntil };
  return commit([update(exportKey.export(tenant, id), { set: { resumableUntil: undefined }, expected })]).then(
    () => true,
    (error: unknown) => {
      if (!isConflict(error)) throw error;
      return false;
    },
  );
};

const deleteFiles = async (
  tenant: Tenant,
  record: ExportRecord,
  { deps, isLast, isGivenUp }: Required<CleanUpOptions> & { readonly isLast: boolean },
): Promise<void> => {
  // Also when it is late: the service may have been at rest for a day, instead of the bucket.
  const reason = await deleteExportedFiles(tenant, record, deps.openStore).catch((error: unknown) => {
    if (!isGivenUp) throw error;
    return 'The storage destination did not respond for a day';
  });
  if (reason !== undefined && isLast) await noteKept(tenant, record, { reason, deps });
};

const noteKept = async (
  tenant: Tenant,
  record: ExportRecord,
  { reason, deps }: { readonly reason: string; readonly deps: CleanUpOptions['deps'] },
): Promise<void> => {
  log.warn('files of an export stay in the bucket', { exportId: record.id, reason });
  await commit([exportAudit(tenant, record, { action: 'export.objects_kept', details: { reason }, now: deps.clock.now() })]);
};
