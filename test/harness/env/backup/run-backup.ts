/** Runs the steps of a backup in this process, like the workflow of infra/workflow/backup.ts, without its waits. */

import {
  cleanUpBackup,
  copyShard,
  failBackup,
  planBackup,
  prepareBackup,
  reasonFor,
  sealBackup,
} from '../../../../shared/backup/index.ts';
import { runBackupStep } from '../../../../shared/backup/steps/backup-steps.ts';
import { after, type Tenant } from '../../../../shared/platform/index.ts';
import type { BackupDeps } from '../../../../shared/stored-backup/index.ts';

/** Position of a workflow, from which it continues after a crash, like Step Functions. */
export interface BackupPosition {
  step: 'prepare' | 'plan' | 'copy' | 'seal' | 'end';
  /** Remaining shards. */
  shards: number[];
}
export const firstBackupStep = (): BackupPosition => ({ step: 'prepare', shards: [] });

export interface RunBackupOptions {
  /** Run time of a copy worker. */
  readonly copySeconds?: number;
  readonly triesMax?: number;
  /** Called with each error that Step Functions would see. */
  readonly onError?: (step: string, error: Error) => void;
  readonly afterPlan?: () => unknown;
  /** Called for each run of a copy worker. */
  readonly onRun?: () => unknown;
}

interface BackupRun {
  readonly tenant: Tenant;
  readonly backupId: string;
  readonly deps: BackupDeps;
}

/** Runs every step once, shard by shard. Rethrows errors; the position then shows where to continue. */
export const resumeBackup = async ({ tenant, backupId, deps }: BackupRun, position: BackupPosition): Promise<void> => {
  const step = <T>(work: () => Promise<T>, shard?: number): Promise<T> =>
    runBackupStep(tenant, { backupId, shard, work, time: deps.clock });
  if (position.step === 'prepare') {
    await step(() => prepareBackup(tenant, backupId, deps));
    position.step = 'plan';
  }
  for (;;) {
    if (position.step === 'plan') {
      const { shards } = await step(() => planBackup(tenant, backupId, deps));
      Object.assign(position, { step: 'copy', shards: [...shards] });
    }
    for (let shard = position.shards[0]; shard !== undefined; shard = position.shards[0]) {
      const number = shard;
      while (!(await step(() => copyShard(tenant, { backupId, number, handOver: after(deps.clock.now(), 600), deps }), number)));
      position.shards.shift();
    }
    const isSealed = await step(() => sealBackup(tenant, backupId, deps));
    position.step = isSealed ? 'end' : 'plan';
    if (isSealed) return;
  }
};

/** Runs a backup to its end; a failed one is cleaned up. */
export const runBackup = async ({ tenant, backupId, deps }: BackupRun, options: RunBackupOptions = {}): Promise<void> => {
  const { copySeconds = 600, triesMax = 7, onError } = options;
  const step = async <T>(name: string, work: () => Promise<T>, shard?: number): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await runBackupStep(tenant, { backupId, shard, work, time: deps.clock });
      } catch (error) {
        onError?.(name, error as Error);
        if ((error as Error).name === 'JobFailed' || tries === triesMax) throw error;
      }
    }
  };
  const copy = async (shard: number): Promise<void> => {
    const run = (): Promise<boolean> => {
      options.onRun?.();
      return copyShard(tenant, { backupId, number: shard, handOver: after(deps.clock.now(), copySeconds), deps });
    };
    while (!(await step('copy', run, shard)));
  };
  try {
    await step('prepare', () => prepareBackup(tenant, backupId, deps));
    do {
      const { shards } = await step('plan', () => planBackup(tenant, backupId, deps));
      await options.afterPlan?.();
      await Promise.all(shards.map(copy));
    } while (!(await step('seal', () => sealBackup(tenant, backupId, deps))));
  } catch (error) {
    const now = deps.clock.now();
    await failBackup(tenant, { backupId, reason: (backup) => reasonFor(backup, { Error: (error as Error).name }, now), now });
    await cleanUpBackup(tenant, { backupId, deps });
  }
};
