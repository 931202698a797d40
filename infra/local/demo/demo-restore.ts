/** Second half of the demo: restores the backup into a second database and compares the two. */
import type { Client } from '../../smoke/client.ts';
import { type DemoBackup, type DemoJob, type DemoOutput, untilEnded } from './demo-backup.ts';

export const demoTarget = 'demo-restored';

export interface DemoRestore {
  readonly targetProjectId: string;
  readonly restoreJobId: string;
}

interface Restore extends DemoJob {
  readonly restoreJobId: string;
  readonly documentsRestored: number;
  readonly collectionsRestored: number;
  readonly duration: number;
}

export const restoreDemoBackup = async (client: Client, { backupId }: DemoBackup, output: DemoOutput): Promise<DemoRestore> => {
  const target = await client.call<{ id: string }>('POST', '/projects', { name: 'Restored', sourceProjectId: demoTarget });
  const request = { backupId, targetProjectId: target.id };
  const { restoreJobId } = await client.call<Restore>('POST', '/backups/restore', request);
  const done = await untilEnded<Restore>(client, `/backups/restore/${restoreJobId}`, output);
  output.line(
    `restored ${done.documentsRestored} documents in ${done.collectionsRestored} collections to the project ${demoTarget} in ${done.duration} s`,
  );
  const plan = await client.call<{ unchanged: number; create: number; overwrite: number }>('POST', '/backups/restore', {
    ...request,
    options: { dryRun: true },
  });
  output.line(
    `compared the restored project with the backup: ${plan.unchanged} documents are equal, ${plan.create + plan.overwrite} differ`,
  );
  return { targetProjectId: target.id, restoreJobId };
};
