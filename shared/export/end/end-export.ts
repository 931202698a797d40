/** Ends an export that cannot continue: records why, and releases its backup. What it has written is deleted by `cleanUpExport`. */
import { failureWrites, readDestination } from '../../destination/index.ts';
import type { Reason } from '../../job/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { after, commit, emitMetric, get, iso, retryOnConflict, type Tenant, update, type Write } from '../../platform/index.ts';
import { releaseHold } from '../../restore/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import type { ExportDeps } from '../export-deps.ts';
import { emitExportEvent, exportAudit } from '../model/export-notes.ts';
import { isActiveExport } from '../model/export-view.ts';
import { type ExportRecord, exportKey } from '../model/record.ts';

/** A worker that has not noticed the end may still store a file, so the last clean-up comes when none can run any more. */
const workerSeconds = 1_000;

/** What a failed export has written is kept for so long, if it can be resumed. */
const resumableSeconds = 24 * 3_600;

/** The bucket or the service was the reason. What else fails an export would fail it again, or must not stay in the bucket. */
const resumableCodes: readonly string[] = [
  'STORAGE_READ_ERROR',
  'STORAGE_UPLOAD_ERROR',
  'KEY_UNAVAILABLE',
  'JOB_IN_PROGRESS',
  'INTERNAL_ERROR',
];

/** A range is not written again once it is done, so a file that the bucket has lost since would be missing. */
const lostFile = ({ details }: Reason): boolean => details?.lost !== undefined;

const internalError: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not export the backup' };

/** Idempotent; a no-op once the export has ended or another attempt has started. */
export const endExport = async (
  tenant: Tenant,
  { id, attempt }: Pick<ExportRecord, 'id' | 'attempt'>,
  { deps, reason }: { readonly deps: Pick<ExportDeps, 'clock' | 'random'>; readonly reason?: Reason },
): Promise<void> => {
  await retryOnConflict({ attempts: 5, random: deps.random }, async () => {
    const record = await get(exportKey.export(tenant, id));
    if (!record || record.attempt !== attempt || !isActiveExport(record)) return;
    const now = deps.clock.now();
    const known = record.failure ?? reason ?? record.trouble ?? internalError;
    const error = { ...known, details: known.details ?? {} };
    await commit(await endWrites(tenant, record, { error, now }));
    if (!record.cancelling) emitMetric('an export has failed', { ExportsFailed: 1 });
  });
};

/** The writes of an export that ends without its files, for the transaction that sets the status. */
export const endWrites = async (
  tenant: Tenant,
  record: ExportRecord,
  { error, now }: { readonly error: NonNullable<ExportRecord['error']>; readonly now: Date },
): Promise<readonly Write[]> => {
  const { id, status, attempt, cancelling = false, backupId, storageDestination, phase } = record;
  const [organization, backup, destination] = await Promise.all([
    get(organizationKey.organization(tenant)),
    get(backupKey.backup(tenant, backupId ?? '')),
    error.code === 'STORAGE_UPLOAD_ERROR' ? readDestination(tenant, storageDestination.id).catch(() => undefined) : undefined,
  ]);
  const isCancelled = cancelling || error.code === 'CANCELLED';
  const isActive = organization !== undefined && organization.deletedAt === undefined;
  const isResumable = !isCancelled && isActive && resumableCodes.includes(error.code) && !lostFile(error);
  const resumableUntil = isResumable ? iso(after(now, resumableSeconds)) : undefined;
  const ended = {
    status: isCancelled ? 'cancelled' : 'failed',
    error,
    completedAt: iso(now),
    failure: undefined,
    cancelling: undefined,
    waitingFor: undefined,
    resumableUntil,
  } as const;
  const { failure: _, cancelling: __, waitingFor: ___, ...rest } = record;
  const shown: ExportRecord = {
    ...rest,
    status: ended.status,
    error,
    completedAt: ended.completedAt,
    ...(resumableUntil !== undefined && { resumableUntil }),
  };
  return [
    update(exportKey.export(tenant, id), { set: ended, expected: { status, attempt, cancelling: cancelling || undefined } }),
    update(exportKey.running(tenant, id), {
      set: { dueAt: resumableUntil ?? iso(after(now, workerSeconds)) },
      expected: { attempt },
    }),
    ...releaseExportHold(tenant, record, backup),
    ...(isActive ? [emitExportEvent(tenant, shown, { name: 'export.failed', organization, now })] : []),
    ...(isActive && destination ? failureWrites({ tenant, organization }, { record: destination, error, now }) : []),
    // The cancellation has an audit entry of its own.
    ...(isCancelled
      ? []
      : [
          exportAudit(tenant, record, {
            action: 'export.failed',
            details: { code: error.code, message: error.message, phase },
            now,
          }),
        ]),
  ];
};

export const releaseExportHold = (
  tenant: Tenant,
  { isHeld }: Pick<ExportRecord, 'isHeld'>,
  backup: BackupRecord | undefined,
): readonly Write[] => (isHeld && backup && (backup.restoring ?? 0) > 0 ? [releaseHold(tenant, backup)] : []);
