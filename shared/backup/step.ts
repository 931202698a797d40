/** How every step of the workflow runs: a failure for good is on the record before it is thrown, anything else is tried again. */
import * as z from 'zod';
import { ArchiveError } from '../archive/index.ts';
import type { JobError } from '../contract/backup.ts';
import { ApiError } from '../contract/errors.ts';
import { id } from '../contract/fields.ts';
import { StorageError } from '../destination/index.ts';
import { SourceError } from '../firestore/index.ts';
import { bestEffort, commit, isOutage, log, type Tenant } from '../platform/index.ts';
import { failureOf, type JobFailure } from './failure.ts';
import { backupKey } from './record.ts';
import { isConflict, NotRunning } from './running.ts';

/** What the workflow hands to its steps: ids only. */
export const BackupStep = z.object({ organizationId: id('organization'), backupId: id('backup') });
/** A shard is copied in as many runs as it takes: what one answers is what the next is given. */
export const CopyStep = BackupStep.extend({ shard: z.int().min(0), done: z.boolean().default(false) });
export type CopyStep = z.output<typeof CopyStep>;
/** With what ended the steps before, in the words of Step Functions. */
export const FailStep = BackupStep.extend({ error: z.object({ Error: z.string().optional() }).optional() });

type Reason = z.output<typeof JobError>;

/** Step Functions tries again whatever is thrown, except an error of this name: then the reason stands on the record. */
const finalName = 'JobFailed';

export const runStep = async <T>(tenant: Tenant, backupId: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotRunning) throw named(finalName, error.message);
    const failure = failureOf(error);
    if (failure) {
      log.warn('the backup fails', { backupId, code: failure.code, reason: failure.message });
      await tell(tenant, backupId, 'failure', reasonOf(failure));
      throw named(finalName, `${failure.code}: ${failure.message}`);
    }
    await bestEffort('note what the step stumbled over', tell(tenant, backupId, 'trouble', troubleOf(error)));
    throw withoutCause(error);
  }
};

/** The same as an answer: undefined for what has failed for good, which is no error of the function. */
export const answerStep = async <T>(tenant: Tenant, backupId: string, work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await runStep(tenant, backupId, work);
  } catch (error) {
    if ((error as Error).name !== finalName) throw error;
    return undefined;
  }
};

export const reasonOf = ({ code, message, details }: JobFailure): Reason => ({ code, message, ...(details && { details }) });

/** The first failure wins, the last trouble counts; of a backup that has ended there is nothing to tell. */
const tell = async (tenant: Tenant, backupId: string, attribute: 'failure' | 'trouble', reason: Reason): Promise<void> => {
  try {
    await commit([
      {
        update: backupKey.backup(tenant, backupId),
        expression: 'SET #attribute = :reason',
        condition: '#status IN (:pending, :running) AND attribute_not_exists(#failure)',
        names: { '#attribute': attribute, '#status': 'status', '#failure': 'failure' },
        values: { ':reason': reason, ':pending': 'pending', ':running': 'running' },
      },
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};

/** Only our own words are kept: what others throw may quote what it was working on. */
const troubleOf = (error: unknown): Reason => {
  if (error instanceof StorageError) return { code: 'STORAGE_UPLOAD_ERROR', message: error.message };
  if (error instanceof SourceError) return { code: 'INTERNAL_ERROR', message: error.message };
  if (isOutage(error) || (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE'))
    return { code: 'INTERNAL_ERROR', message: 'A part of the service did not answer' };
  return internal;
};

export const internal: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not make the backup' };

/** Causes of what a store or a source says may hold headers and addresses; they stay out of logs and the workflow's history. */
const withoutCause = (error: unknown): unknown =>
  error instanceof StorageError || error instanceof SourceError || error instanceof ArchiveError || error instanceof ApiError
    ? named(error.name, error.message)
    : error;

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
