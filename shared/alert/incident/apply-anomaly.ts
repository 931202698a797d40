import { get, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { backupKey } from '../../stored-backup/index.ts';
import { applySignal } from './apply-signal.ts';

/** Opens the incident of a marked backup, or closes it once the mark is acknowledged, as its record says now. */
export const applyAnomaly = async (tenant: Tenant, backupId: string, now: Date): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  const { anomaly } = backup ?? {};
  if (!backup || !anomaly) return;
  const { acknowledgedAt, acknowledgedBy, detectedAt, findings, keptBackupId } = anomaly;
  if (acknowledgedAt !== null)
    return applySignal(
      tenant,
      {
        state: 'recovered',
        kind: 'anomaly',
        subjectId: backupId,
        at: acknowledgedAt,
        message: `The unusual changes were acknowledged by ${acknowledgedBy?.email ?? 'a member'}`,
      },
      now,
    );
  const project = await get(projectKey.project(tenant, backup.projectId));
  const name = project?.name ?? backup.projectName ?? backup.projectId;
  const [first] = findings;
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  return applySignal(
    tenant,
    {
      state: 'failed',
      kind: 'anomaly',
      at: detectedAt,
      subject: { type: 'backup', id: backupId, name: null },
      project: { id: backup.projectId, name },
      source: `${backupId} ${detectedAt}`,
      isNews: true,
      message: `A backup of ${name} differs from what is usual: ${first?.message ?? 'see its findings'}${more}`,
      facts: [
        { name: 'Backup', value: backupId },
        { name: 'Last backup from before', value: keptBackupId ?? 'none' },
      ],
      page: `/backups/${backupId}`,
    },
    now,
  );
};
