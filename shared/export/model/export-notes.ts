/** The events and audit entries of exports. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import { exportEvents } from '../../contract/event-data/export-events.ts';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import { emit } from '../../event/index.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import { exportEvent } from './export-view.ts';
import type { ExportRecord } from './record.ts';

interface ExportEvent {
  readonly name: 'export.started' | 'export.completed' | 'export.failed';
  readonly organization: Pick<OrganizationRecord, 'id' | 'name'>;
  readonly now: Date;
}

/** The event shows the export as given. */
export const emitExportEvent = (tenant: Tenant, record: ExportRecord, { name, organization, now }: ExportEvent): Write =>
  // The schema of export.failed verifies that the export has an error.
  emit(tenant, { schemas: exportEvents, name, data: exportEvent(record, organization) as EventData<typeof name>, now });

interface ExportAudit {
  readonly action: AuditAction;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

export const exportAudit = (
  tenant: Tenant,
  { id, projectId, backupId, format, path }: ExportRecord,
  { action, details = {}, now }: ExportAudit,
): Write =>
  systemAudit('export-engine', {
    action,
    note: auditNote(tenant, { type: 'export', id, details: { projectId, backupId, format, path, ...details } }),
    now,
  });
