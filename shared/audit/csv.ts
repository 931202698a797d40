/** The audit log as CSV. */
import { csvLineOf } from '../export-format/index.ts';
import type { AuditLogEntry } from './record.ts';

const columns = {
  id: ({ id }) => id,
  timestamp: ({ timestamp }) => timestamp,
  action: ({ action }) => action,
  'actor.type': ({ actor }) => actor.type,
  'actor.id': ({ actor }) => actor.id,
  'actor.email': ({ actor }) => actor.email,
  'resource.type': ({ resource }) => resource.type,
  'resource.id': ({ resource }) => resource.id,
  'organization.id': ({ organization }) => organization.id,
  'context.ip': ({ context }) => context.ip,
  'context.userAgent': ({ context }) => context.userAgent,
  'context.location': ({ context }) => context.location,
  'context.requestId': ({ context }) => context.requestId,
  details: ({ details }) => JSON.stringify(details),
} as const satisfies Record<string, (entry: AuditLogEntry) => string | null>;

export const csvHeader = csvLineOf(Object.keys(columns));
export const csvLine = (entry: AuditLogEntry): string => csvLineOf(Object.values(columns).map((column) => column(entry) ?? ''));
