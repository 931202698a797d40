/** The other half of the main job, shown once on a new stage: the backup comes back, in a database of its own, and is compared. */
import { setTimeout as pause } from 'node:timers/promises';
import { barOf, type DemoBackup, pollMs, type Say } from './demo-backup.ts';
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

export const restoreDemoBackup = async (client: DemoClient, { backupId }: DemoBackup, say: Say): Promise<DemoRestore> => {
  const target = await client.call<{ id: string }>('POST', '/projects', { name: 'Restored', sourceProjectId: demoTarget });
  const wish = { backupId, targetProjectId: target.id };
  const { restoreJobId } = await client.call<Restore>('POST', '/backups/restore', wish);
  const done = await untilEnded(client, restoreJobId, say);
  say.line(
    `restored ${done.documentsRestored} documents of ${done.collectionsRestored} collections into the project ${demoTarget} in ${done.duration} s`,
  );
  const plan = await client.call<{ unchanged: number; create: number; overwrite: number }>('POST', '/backups/restore', {
    ...wish,
    options: { dryRun: true },
  });
  say.line(`compared both: ${plan.unchanged} documents are the same, ${plan.create + plan.overwrite} are not`);
  return { targetProjectId: target.id, restoreJobId };
};

const untilEnded = async (client: DemoClient, id: string, say: Say): Promise<Restore> => {
  for (;;) {
    const restore = await client.call<Restore>('GET', `/backups/restore/${id}`);
    say.bar(barOf(restore));
    if (restore.status === 'completed') return restore;
    if (restore.status !== 'pending' && restore.status !== 'running')
      throw new Error(`the restore ended as ${restore.status}: ${restore.error?.message}`);
    await pause(pollMs);
  }
};
