/** Resumes a failed export where it stopped: ranges whose files are stored are not written again. */
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { bucketLocation, readDestination } from '../../destination/index.ts';
import { erasureKey } from '../../erasure/index.ts';
import { enqueue } from '../../event/index.ts';
import { timelineAppend } from '../../job/index.ts';
import { countJobStart } from '../../organization/index.ts';
import { type Change, get, iso, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { assertRestorable, holdBackup } from '../../restore/index.ts';
import { readBackup } from '../../stored-backup/index.ts';
import { getExport } from '../model/get-export.ts';
import { type ExportRecord, exportKey } from '../model/record.ts';

export const resumeExport = async (
  tenant: Tenant,
  exportId: string,
  now: Date,
): Promise<{ readonly record: ExportRecord; readonly change: Change }> => {
  const record = await getExport(tenant, exportId);
  assertResumable(record, now);
  await assertSameBucket(tenant, record);
  await assertNothingErased(tenant, record);
  const { id, attempt, phase, backupId, projectId, resumableUntil } = record;
  if (backupId !== null) assertRestorable(await readBackup(tenant, backupId));
  const next = attempt + 1;
  const started = {
    // What has begun goes on in its phase.
    status: phase === 'queued' ? ('pending' as const) : ('running' as const),
    attempt: next,
    phaseSince: iso(now),
    completedAt: null,
    error: null,
    isHeld: backupId !== null,
  };
  const removed = {
    resumableUntil: undefined,
    failure: undefined,
    trouble: undefined,
    failing: undefined,
    movedAt: undefined,
    waitReportedAt: undefined,
    seenAt: undefined,
    // A job that has failed builds no backup; another one does.
    ...(phase === 'building' && { buildJobId: undefined }),
  };
  const { resumableUntil: _, ...rest } = record;
  return {
    record: { ...rest, ...started },
    change: {
      writes: [
        countJobStart(tenant),
        set(
          exportKey.export(tenant, id),
          { ...started, ...removed },
          {
            ...timelineAppend(record, { at: iso(now), kind: 'started', message: `Attempt ${next}` }),
            expected: { status: 'failed', attempt, resumableUntil },
            onConditionFailed: () => new StaleReadError(),
          },
        ),
        set(
          exportKey.running(tenant, id),
          { attempt: next, since: iso(now), dueAt: undefined, restartedAt: undefined },
          { expected: { attempt }, onConditionFailed: () => new StaleReadError() },
        ),
        ...(backupId === null ? [] : [holdBackup(tenant, backupId)]),
        enqueue(tenant, { kind: 'start-export', exportId: id, attempt: next }, now),
      ],
      audit: [auditNote(tenant, { type: 'export', id, details: { projectId, backupId, attempt: next } })],
    },
  };
};

const refuse = (status: ExportRecord['status'], message: string): never => {
  throw new ApiError('CONFLICT', message, { status });
};

const assertResumable = ({ status, error, resumableUntil, completedAt }: ExportRecord, now: Date): void => {
  if (status !== 'failed') refuse(status, `Only a failed export can be resumed; this one is ${status}`);
  if (resumableUntil === undefined)
    refuse(
      status,
      `The export cannot be resumed after ${error?.code ?? 'its failure'}, or its files are deleted; start another one`,
    );
  else if (resumableUntil <= iso(now))
    refuse(status, `The export failed at ${completedAt} and could be resumed until ${resumableUntil}; start another one`);
};

const assertSameBucket = async (tenant: Tenant, { status, storageDestination, location }: ExportRecord): Promise<void> => {
  const destination = await readDestination(tenant, storageDestination.id);
  if (location !== bucketLocation(destination))
    refuse(status, 'The storage destination names another bucket than the one with the files; start another export');
};

/** The files that are stored may have what was erased since. */
const assertNothingErased = async (tenant: Tenant, { status, projectId, erasuresVersion = 0 }: ExportRecord): Promise<void> => {
  const ledger = await get(erasureKey.ledger(tenant, projectId));
  if ((ledger?.version ?? 0) > erasuresVersion)
    refuse(status, 'Documents of the project were erased since the export began; start another one');
};
