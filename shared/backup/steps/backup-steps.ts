/** The steps of the backup workflow: their inputs, and how they run. */
import * as z from 'zod/mini';
import { id } from '../../contract/fields.ts';
import { answerStep, type Reason, runStep } from '../../job/index.ts';
import { type Clock, clock, type Tenant } from '../../platform/index.ts';
import { backupKey } from '../../stored-backup/index.ts';
import { type BackupRun, recordBackupWait } from '../model/backup-waits.ts';

export const BackupStep = z.object({ organizationId: id('organization'), backupId: id('backup') });
/** A shard is copied in several runs: the output of one is the input of the next. */
export const CopyStep = z.extend(BackupStep, { shard: z.int().check(z.minimum(0)), done: z._default(z.boolean(), false) });
export type CopyStep = z.output<typeof CopyStep>;
/** `error`: what ended the previous step, as Step Functions reports it. */
export const FailStep = z.extend(BackupStep, { error: z.optional(z.object({ Error: z.optional(z.string()) })) });

const jobOf = (tenant: Tenant, { backupId, shard }: BackupRun, time: Clock) => ({
  id: backupId,
  key: backupKey.backup(tenant, backupId),
  task: 'make the backup',
  onTransient: (error: unknown) => recordBackupWait(tenant, { backupId, shard, error, now: time.now() }),
});

export const runBackupStep = <T>(
  tenant: Tenant,
  { work, time = clock, ...step }: BackupRun & { readonly work: () => Promise<T>; readonly time?: Clock | undefined },
): Promise<T> => runStep(jobOf(tenant, step, time), work);

/** Like `runBackupStep`, but returns undefined if the backup failed for good, which is no error of the function. */
export const answerBackupStep = <T>(tenant: Tenant, step: BackupRun, work: () => Promise<T>): Promise<T | undefined> =>
  answerStep(jobOf(tenant, step, clock), work);

export const internalFailure: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not make the backup' };
