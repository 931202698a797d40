import { auditNote, systemAudit } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { BackupRecord } from './record.ts';

/** The audit entry of something the service did to a backup, for the transaction that does it. */
export const backupAudit = (
  tenant: Tenant,
  {
    action,
    backup: { id, projectId },
    details,
    now,
  }: {
    readonly action: AuditAction;
    readonly backup: BackupRecord;
    readonly details: Readonly<Record<string, unknown>>;
    readonly now: Date;
  },
): Write =>
  systemAudit('backup-engine', {
    action,
    note: auditNote(tenant, { type: 'backup', id, details: { projectId, ...details } }),
    now,
  });
