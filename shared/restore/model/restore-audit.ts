import { type Actor, auditEntry } from '../../audit/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

/** Nobody calls the engine: what it does is the service's own doing, on behalf of whoever started the restore. */
const actor: Actor = { type: 'system', id: 'restore-engine', email: null };

/** The entry of what the engine did, for the transaction that does it. It carries the restore's id where others have a request's. */
export const restoreAudit = (
  tenant: Tenant,
  action: string,
  { id, backupId, projectId, targetProjectId }: RestoreRecord,
  details: Readonly<Record<string, unknown>>,
  now: Date,
): Write =>
  auditEntry(
    action,
    {
      scope: tenant.organizationId,
      resource: { type: 'restore', id },
      details: { backupId, projectId, targetProjectId, ...details },
    },
    actor,
    { ip: null, userAgent: null, requestId: id },
    now,
  );
