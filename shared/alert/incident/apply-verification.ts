import { isDamaged } from '../../overview/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { backupKey } from '../../stored-backup/index.ts';
import { applyLockProblem } from './apply-lock-problem.ts';
import { applySignal } from './apply-signal.ts';
import { findingText } from './signal.ts';

/** Opens or closes the incidents of a backup whose verification has ended, or whose locks are incomplete, as its record says now. */
export const applyVerification = async (tenant: Tenant, backupId: string, now: Date): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (!backup) return;
  await applyLockProblem(tenant, backup, now);
  const { verification } = backup;
  if (!verification || verification.status === 'running') return;
  const { status, checkedAt: at, depth, findings } = verification;
  const common = { kind: 'verification_failed', at } as const;
  // A verification that is less deep than the one that found the damage does not refute it.
  if (status === 'passed' && isDamaged(backup)) return;
  if (status === 'passed')
    return applySignal(
      tenant,
      { ...common, state: 'recovered', subjectId: backupId, message: 'A verification of the backup passed' },
      now,
    );
  const project = await get(projectKey.project(tenant, backup.projectId));
  const name = project?.name ?? backup.projectId;
  return applySignal(
    tenant,
    {
      ...common,
      state: 'failed',
      subject: { type: 'backup', id: backupId, name: null },
      project: { id: backup.projectId, name },
      source: `${backupId} ${at}`,
      message: `A verification of a backup of ${name} failed: ${messageOf(findings)}`,
      findings: findings.map(findingText),
      facts: [
        { name: 'Backup', value: backupId },
        { name: 'Depth', value: depth },
      ],
      page: `/backups/${backupId}`,
    },
    now,
  );
};

const messageOf = (findings: readonly { readonly message: string }[]): string => {
  const [first] = findings;
  const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
  return `${first?.message ?? 'see its findings'}${more}`;
};
