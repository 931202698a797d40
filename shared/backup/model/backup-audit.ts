import { type Actor, auditEntry } from '../../audit/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { BackupRecord } from './record.ts';

/** Nobody calls the deps: what it does is the service's own doing, on behalf of whoever started the backup. */
const actor: Actor = { type: 'system', id: 'backup-engine', email: null };

/** The entry of what the deps did, for the transaction that does it. It carries the backup's id where others have a request's. */
export const backupAudit = (
  tenant: Tenant,
  action: string,
  { id, projectId }: BackupRecord,
  details: Readonly<Record<string, unknown>>,
  now: Date,
): Write =>
  auditEntry(
    action,
    { scope: tenant.organizationId, resource: { type: 'backup', id }, details: { projectId, ...details } },
    actor,
    { ip: null, userAgent: null, requestId: id },
    now,
  );
