/** How the steps of a backup's workflow run, and what they are given. */
import * as z from 'zod';
import { id } from '../../contract/fields.ts';
import { answerStep as answerJobStep, type Reason, runStep as runJobStep } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { backupKey } from '../model/record.ts';

/** What the workflow hands to its steps: ids only. */
export const BackupStep = z.object({ organizationId: id('organization'), backupId: id('backup') });
/** A shard is copied in as many runs as it takes: what one answers is what the next is given. */
export const CopyStep = BackupStep.extend({ shard: z.int().min(0), done: z.boolean().default(false) });
export type CopyStep = z.output<typeof CopyStep>;
/** With what ended the steps before, in the words of Step Functions. */
export const FailStep = BackupStep.extend({ error: z.object({ Error: z.string().optional() }).optional() });

const jobOf = (tenant: Tenant, backupId: string) => ({
  id: backupId,
  key: backupKey.backup(tenant, backupId),
  task: 'make the backup',
});

export const runStep = <T>(tenant: Tenant, backupId: string, work: () => Promise<T>): Promise<T> =>
  runJobStep(jobOf(tenant, backupId), work);

/** The same as an answer: undefined for what has failed for good, which is no error of the function. */
export const answerStep = <T>(tenant: Tenant, backupId: string, work: () => Promise<T>): Promise<T | undefined> =>
  answerJobStep(jobOf(tenant, backupId), work);

export const internalFailure: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not make the backup' };
