import { auditNote, systemAudit } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

export const restoreAudit = (
  tenant: Tenant,
  action: AuditAction,
  { id, backupId, projectId, targetProjectId }: RestoreRecord,
  details: Readonly<Record<string, unknown>>,
  now: Date,
): Write =>
  systemAudit('restore-engine', {
    action,
    note: auditNote(tenant, 'restore', id, { backupId, projectId, targetProjectId, ...details }),
    now,
  });
