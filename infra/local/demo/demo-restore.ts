/** Second half of the demo: restores the backup into a second database and compares the two. */
import { setTimeout as pause } from 'node:timers/promises';
import { type DemoBackup, type DemoOutput, pollMs, progressBar } from './demo-backup.ts';
import type { DemoClient } from './demo-client.ts';

export const demoTarget = 'demo-restored';

export interface DemoRestore {
  readonly targetProjectId: string;
  readonly restoreJobId: string;
}

interface Restore {
  readonly restoreJobId: string;
  readonly status: string;
  readonly phase: string;
  readonly progress: { readonly percent: number; readonly documents: number };
  readonly documentsRestored: number;
  readonly collectionsRestored: number;
  readonly duration: number;
  readonly error: { readonly message: string } | null;
}

export const restoreDemoBackup = async (
  client: DemoClient,
  { backupId }: DemoBackup,
  output: DemoOutput,
): Promise<DemoRestore> => {
  const target = await client.call<{ id: string }>('POST', '/projects', { name: 'Restored', sourceProjectId: demoTarget });
  const request = { backupId, targetProjectId: target.id };
  const { restoreJobId } = await client.call<Restore>('POST', '/backups/restore', request);
  const done = await untilEnded(client, restoreJobId, output);
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

const untilEnded = async (client: DemoClient, id: string, output: DemoOutput): Promise<Restore> => {
  for (;;) {
    const restore = await client.call<Restore>('GET', `/backups/restore/${id}`);
    output.bar(progressBar(restore));
    if (restore.status === 'completed') return restore;
    if (restore.status !== 'pending' && restore.status !== 'running')
      throw new Error(`the restore ended with status ${restore.status}: ${restore.error?.message}`);
    await pause(pollMs);
  }
};
