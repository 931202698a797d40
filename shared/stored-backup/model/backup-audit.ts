import { auditNote, systemAudit } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { BackupRecord } from './record.ts';

/** The audit entry of something the service did to a backup, for the transaction that does it. */
export const backupAudit = (
  tenant: Tenant,
  action: AuditAction,
  { id, projectId }: BackupRecord,
  details: Readonly<Record<string, unknown>>,
  now: Date,
): Write => systemAudit('backup-engine', { action, note: auditNote(tenant, 'backup', id, { projectId, ...details }), now });
