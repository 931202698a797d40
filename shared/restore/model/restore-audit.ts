import { auditNote, systemAudit } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

export const restoreAudit = (
  tenant: Tenant,
  {
    action,
    restore: { id, backupId, projectId, targetProjectId },
    details,
    now,
  }: {
    readonly action: AuditAction;
    readonly restore: RestoreRecord;
    readonly details: Readonly<Record<string, unknown>>;
    readonly now: Date;
  },
): Write =>
  systemAudit('restore-engine', {
    action,
    note: auditNote(tenant, { type: 'restore', id, details: { backupId, projectId, targetProjectId, ...details } }),
    now,
  });
