/** Restores the backup into a second database and compares the two. */
import type { Client } from '../../../shared/client/index.ts';
import { type DemoBackup, type DemoOutput, untilEnded } from './demo-backup.ts';

export const demoTarget = 'demo-restored';

export interface DemoRestore {
  readonly targetProjectId: string;
  readonly restoreJobId: string;
}

export const restoreDemoBackup = async (
  client: Client,
  { backupId, storageId }: DemoBackup,
  output: DemoOutput,
): Promise<DemoRestore> => {
  const settings = { defaultStorageId: storageId };
  const target = await client.request('POST /projects', { body: { name: 'Restored', sourceProjectId: demoTarget, settings } });
  const request = { backupId, targetProjectId: target.id };
  const started = await client.request('POST /backups/restore', { body: request });
  if (!('restoreJobId' in started)) throw new Error('the restore was planned instead of started');
  const { restoreJobId } = started;
  const done = await untilEnded(client, { kind: 'restore', id: restoreJobId, output });
  output.line(
    `restored ${done.documentsRestored} documents in ${done.collectionsRestored} collections to the project ${demoTarget} in ${done.duration} s`,
  );
  const plan = await client.request('POST /backups/restore', { body: { ...request, options: { dryRun: true } } });
  if ('restoreJobId' in plan) throw new Error('the plan takes longer than a request');
  output.line(
    `compared the restored project with the backup: ${plan.unchanged} documents are equal, ${plan.create + plan.overwrite} differ`,
  );
  return { targetProjectId: target.id, restoreJobId };
};
