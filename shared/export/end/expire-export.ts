/** Deletes the files of a completed export once its retention has ended. */
import { after, commit, get, isConflict, iso, set, type Tenant, update } from '../../platform/index.ts';
import type { ExportDeps } from '../export-deps.ts';
import { exportAudit } from '../model/export-notes.ts';
import { type ExportRecord, exportKey } from '../model/record.ts';
import { deleteExportedFiles } from './delete-exported-files.ts';

const daySeconds = 24 * 3_600;
/** A bucket that does not give up its files, because its permissions are wrong, for example, is asked again every day. */
const triedSeconds = 30 * daySeconds;

interface ExpiryOptions {
  readonly deps: Pick<ExportDeps, 'openStore' | 'clock'>;
  /** The bucket has not answered for a day. */
  readonly isGivenUp: boolean;
}

/** Idempotent. False as long as the files are to be deleted later. Rejects if the bucket does not answer. */
export const expireExport = async (
  tenant: Tenant,
  record: ExportRecord,
  { deps, isGivenUp }: ExpiryOptions,
): Promise<boolean> => {
  const { expiresAt, filesDeletedAt } = record;
  if (expiresAt === undefined || filesDeletedAt !== undefined) return true;
  const now = deps.clock.now();
  if (expiresAt > iso(now)) return false;
  const reason = await deleteExportedFiles(tenant, record, deps.openStore).catch((error: unknown) => {
    if (!isGivenUp) throw error;
    return 'The storage destination did not respond for a day';
  });
  if (reason === undefined) {
    await noteDeleted(tenant, record, now);
    return true;
  }
  await noteKept(tenant, record, { reason, now });
  if (after(new Date(expiresAt), triedSeconds) <= now) return true;
  await commit([update(exportKey.running(tenant, record.id), { set: { dueAt: iso(after(now, daySeconds)) } })]);
  return false;
};

const noteDeleted = async (tenant: Tenant, record: ExportRecord, now: Date): Promise<void> => {
  const { id, files, bytes, expiresAt } = record;
  const key = exportKey.export(tenant, id);
  await commit([
    update(key, {
      set: { filesDeletedAt: iso(now), filesKeptReason: undefined },
      expected: { status: 'completed', filesDeletedAt: undefined },
    }),
    exportAudit(tenant, record, { action: 'export.expired', details: { files, bytes, expiresAt }, now }),
  ]).catch(async (error: unknown) => {
    // A run that took too long has done it, too.
    if (!isConflict(error) || (await get(key))?.filesDeletedAt === undefined) throw error;
  });
};

/** Audited once for each reason. */
const noteKept = async (
  tenant: Tenant,
  record: ExportRecord,
  { reason, now }: { readonly reason: string; readonly now: Date },
): Promise<void> => {
  if (record.filesKeptReason === reason) return;
  await commit([
    set(exportKey.export(tenant, record.id), { filesKeptReason: reason }, { expected: { status: 'completed' } }),
    exportAudit(tenant, record, { action: 'export.objects_kept', details: { reason }, now }),
  ]);
};
