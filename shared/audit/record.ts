/** Audit entries are in a partition of their own, where IAM allows functions to add but not to change or delete. */
import type * as z from 'zod/mini';
import type { AuditAction } from '../contract/audit-actions.ts';
import type { AuditEntry } from '../contract/endpoints/audit-logs.ts';
import { auditRetentionDays, type Plan } from '../contract/limits.ts';
import {
  type AuditNote,
  after,
  create,
  env,
  epochSeconds,
  iso,
  type Key,
  newId,
  type Tenant,
  type Write,
} from '../platform/index.ts';

export interface Actor {
  readonly type: 'user' | 'service_account' | 'api_key' | 'system';
  readonly id: string;
  readonly email: string | null;
  /** Of an API key, which has no address. */
  readonly name?: string;
}

/** For sentences such as "cancelled by …", which everyone in the organization sees. */
export const describeActor = ({ type, name }: Actor): string => {
  if (type === 'api_key') return `the API key ${name}`;
  return { user: 'a user', service_account: 'a service account', system: 'the service' }[type];
};

export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Country, or country and place (`DE`, `DE, Berlin`), from a trusted proxy. Without one, readers look up the country. */
  readonly location?: string | null;
  readonly requestId: string;
}

/** An entry as the API shows it. */
export type AuditLogEntry = z.input<typeof AuditEntry>;

export interface AuditRecord extends AuditLogEntry, Pick<Key, 'pk' | 'sk'> {
  /** Epoch seconds. */
  readonly ttl: number;
}

export const auditPartition = (scope: string): string => `AUDIT#${scope}`;
export const entryPrefix = 'ENTRY#';

/** From the plan, unless the deployment configures its own. */
const retentionDays = (): number => {
  const configured = env('AUDIT_RETENTION_DAYS');
  return configured === '' ? auditRetentionDays[env('PLAN') as Plan] : Number(configured);
};

/** Older entries are deleted. */
export const auditKeptSince = (now: Date): Date => after(now, -retentionDays() * 24 * 3_600);

/** An entry, part of the transaction of the change it describes. */
export const auditEntry = (
  action: AuditAction,
  { note, actor, origin, now }: { readonly note: AuditNote; readonly actor: Actor; readonly origin: Origin; readonly now: Date },
): Write => {
  const id = newId('audit', now);
  return create({
    pk: auditPartition(note.scope),
    sk: `${entryPrefix}${id}`,
    id,
    timestamp: iso(now),
    action: note.action ?? action,
    actor,
    resource: note.resource,
    organization: { id: note.scope },
    context: { ip: origin.ip, userAgent: origin.userAgent, location: origin.location ?? null, requestId: origin.requestId },
    details: note.details ?? {},
    ttl: epochSeconds(after(now, retentionDays() * 24 * 3_600)),
  } satisfies AuditRecord);
};

/** The content of an audit entry about a resource of the tenant. */
export const auditNote = (
  { organizationId }: Pick<Tenant, 'organizationId'>,
  {
    type,
    id,
    details,
  }: { readonly type: string; readonly id: string; readonly details?: Readonly<Record<string, unknown>> | undefined },
): AuditNote => ({ scope: organizationId, resource: { type, id }, ...(details && { details }) });

/** An entry of an action of the service itself. There is no request, so the default request id is the resource's id. */
export const systemAudit = (
  actorId: string,
  {
    action,
    note,
    now,
    requestId = note.resource.id,
  }: {
    readonly action: AuditAction;
    readonly note: AuditNote;
    readonly now: Date;
    readonly requestId?: string;
  },
): Write =>
  auditEntry(action, {
    note,
    actor: { type: 'system', id: actorId, email: null },
    origin: { ip: null, userAgent: null, requestId },
    now,
  });
