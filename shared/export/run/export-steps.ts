/** Inputs of the workflow's steps, and how a step reports its failure. */
import * as z from 'zod/mini';
import { id } from '../../contract/fields.ts';
import { answerStep, type JobFailure, judgeFailedRun, type Reason, waitContinues, waitReason } from '../../job/index.ts';
import { bestEffort, type Clock, clock, commit, get, update } from '../../platform/index.ts';
import { exportPatience, isActiveExport } from '../model/export-view.ts';
import { type ExportRecord, exportKey } from '../model/record.ts';
import type { ExportAttempt } from '../model/running-export.ts';

export const ExportStep = z.object({
  organizationId: id('organization'),
  exportId: id('export'),
  attempt: z.int().check(z.minimum(1)),
  /** What the step before has returned. */
  plan: z.optional(z.object({ waitedSeconds: z.optional(z.int()) })),
  /** Why all attempts of the previous step failed; then the export ends. */
  error: z.optional(z.unknown()),
});

export const ExportShardStep = z.object({
  organizationId: id('organization'),
  exportId: id('export'),
  attempt: z.int().check(z.minimum(1)),
  shard: z.int().check(z.minimum(0)),
});

/** Undefined after a permanent failure, which is then on the record. */
export const answerExportStep = <T>(step: ExportAttempt, work: () => Promise<T>, time: Clock = clock): Promise<T | undefined> => {
  const { tenant, exportId, attempt } = step;
  const key = exportKey.export(tenant, exportId);
  const onTransient = (error: unknown) => recordWait(step, error, time.now());
  return answerStep({ id: exportId, attempt, key, task: 'export the backup', storage: 'STORAGE_READ_ERROR', onTransient }, work);
};

/** The bucket does not answer: returns the failure of an export that has waited for too long. */
const recordWait = async ({ tenant, exportId }: ExportAttempt, error: unknown, now: Date): Promise<JobFailure | undefined> => {
  const reason = waitReason(error);
  const record = await get(exportKey.export(tenant, exportId));
  if (!reason || !record || !isActiveExport(record)) return undefined;
  const { failure, failing, wait } = judgeFailedRun(record, record.failing, {
    reason,
    position: positionOf(record),
    patience: exportPatience,
    error,
    storage: 'STORAGE_READ_ERROR',
    now,
  });
  if (failure) return failure;
  const problem = (error as Error).message;
  const { set, add, append } = waitContinues(record, problem, now);
  const shown = { ...set, failing, waitingFor: record.waitingFor ?? wait };
  const note = update(exportKey.export(tenant, exportId), {
    set: shown,
    ...(add && { add }),
    ...(append && { append }),
    expected: { status: record.status, attempt: record.attempt },
  });
  await bestEffort('show that the export waits', commit([note]));
  return undefined;
};

const positionOf = ({ attempt, phase, shardsRead, shardsWritten }: ExportRecord): string =>
  JSON.stringify([attempt, phase, shardsRead, shardsWritten]);

export const exportError: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not export the backup' };
