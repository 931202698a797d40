/** Protects both projects, so that the overview begins without warnings. */
import type { Client } from '../../../shared/client/index.ts';
import { type DemoBackup, type DemoOutput, untilEnded, verifyObjects } from './demo-backup.ts';
import type { DemoRestore } from './demo-restore.ts';

export interface DemoSchedules {
  readonly scheduleIds: readonly string[];
}

/** Weekly: a stage that was stopped for a day has not missed a run. */
const schedule = { name: 'Every Sunday', cron: '0 3 * * 0', timezone: 'UTC', type: 'incremental', retention: 30 } as const;

export const scheduleDemoBackups = async (
  client: Client,
  {
    backup: { projectId },
    restored: { targetProjectId },
    output,
  }: { readonly backup: DemoBackup; readonly restored: DemoRestore; readonly output: DemoOutput },
): Promise<DemoSchedules> => {
  const created = await Promise.all(
    [projectId, targetProjectId].map((id) => client.request('POST /schedules', { body: { ...schedule, projectId: id } })),
  );
  const started = await client.request('POST /backups', { body: { projectId: targetProjectId } });
  if (!('id' in started)) throw new Error('the backup was estimated instead of started');
  const { documentCount } = await untilEnded(client, { kind: 'backup', id: started.id, output });
  await verifyObjects(client, started.id, 'structure');
  output.line(
    `backed up and verified the ${documentCount} restored documents, too, and scheduled both projects for every Sunday`,
  );
  return { scheduleIds: created.map(({ id }) => id) };
};
