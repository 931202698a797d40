/** The steps of the workflow of a backup, and its reaper. They share one bundle. */
import {
  answerBackupStep,
  BackupStep,
  backupJobs,
  CopyStep,
  cleanUpBackup,
  copyShard,
  FailStep,
  failBackup,
  planBackup,
  prepareBackup,
  reasonFor,
  sealBackup,
} from '../../shared/backup/index.ts';
import { reserveSeconds, roundSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { openStoreInRequest } from '../../shared/destination/index.ts';
import { jobWorkflow, reapRunningJobs, stepHandler } from '../../shared/job/index.ts';
import { capturedChanges } from '../../shared/pitr/index.ts';
import { after, bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { readConfiguration, refreshDatabaseInfo } from '../../shared/project/index.ts';
import { backupDeps as bare, giveUpVerification, VerifyStep, verifyBackup } from '../../shared/stored-backup/index.ts';

const backupDeps = { ...bare, changes: capturedChanges, refreshDatabaseInfo, readConfiguration };

/** Prepares a backup: data key and source. */
export const prepare = stepHandler(BackupStep, async (tenant, { backupId }) => {
  const done = await answerBackupStep(tenant, { backupId }, async () => {
    await prepareBackup(tenant, backupId, backupDeps);
    return true;
  });
  return { failed: done === undefined };
});

/** Plans what a backup reads, and returns its shard numbers. */
export const plan = stepHandler(BackupStep, async (tenant, { backupId }) => {
  const planned = await answerBackupStep(tenant, { backupId }, () => planBackup(tenant, backupId, backupDeps));
  return { shards: planned?.shards ?? [], failed: planned === undefined };
});

/** Copies one shard until it is done or the time is over; its output is the input of the next run. */
export const copy = stepHandler(CopyStep, async (tenant, step, context) => {
  const { backupId, shard } = step;
  const handOver = after(clock.now(), context.getRemainingTimeInMillis() / 1_000 - reserveSeconds.backupCopy);
  const done = await answerBackupStep(tenant, { backupId, shard }, () =>
    copyShard(tenant, { backupId, number: shard, handOver, deps: backupDeps }),
  );
  return { ...step, done: done ?? false, failed: done === undefined };
});

/** Checks that all objects of a backup are stored, and completes it, unless it is to be planned again. */
export const seal = stepHandler(BackupStep, async (tenant, { backupId }) => {
  const isSealed = await answerBackupStep(tenant, { backupId }, () => sealBackup(tenant, backupId, backupDeps));
  return { failed: isSealed === undefined, again: isSealed === false };
});

/** Fails a backup whose workflow cannot continue, and cleans up after it. */
export const fail = stepHandler(FailStep, async (tenant, { backupId, error }) => {
  const now = clock.now();
  await failBackup(tenant, { backupId, reason: (backup) => reasonFor(backup, error, now), now });
  // If the destination does not respond, the reaper tries again.
  await bestEffort(
    `clean up after ${backupId}`,
    cleanUpBackup(tenant, { backupId, deps: backupDeps, options: { waitsForWorkers: true } }),
  );
});

/** Verifies a part of a backup in its bucket; its output is the input of the next run. */
export const verify = stepHandler(VerifyStep, async (tenant, { organizationId, backupId, position, error }) => {
  if (error !== undefined) {
    await giveUpVerification(tenant, { backupId, position, clock });
    return { organizationId, backupId, position, done: true };
  }
  const next = await verifyBackup(tenant, {
    backupId,
    position,
    deadline: after(clock.now(), roundSeconds.backupVerify),
    deps: backupDeps,
  });
  return { organizationId, backupId, position: next ?? null, done: next === undefined };
});

/** A bucket that does not respond is given up quickly; the next run tries again. */
const reaperDeps: typeof backupDeps = {
  ...backupDeps,
  openStore: openStoreInRequest,
};

/** Every few minutes: checks all running backups, and ends those that are stuck. */
export const reap = lambdaHandler(() =>
  reapRunningJobs(backupJobs(reaperDeps, jobWorkflow('BACKUP_WORKFLOW_ARN')), ({ organizationId }) =>
    unsafeTenant(organizationId, 'record'),
  ),
);
