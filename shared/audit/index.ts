export { type Filter, spanOf } from './audit-filter.ts';
export { exportEntries, type Format } from './export-audit-log.ts';
export { listEntries } from './list-audit-log.ts';
export {
  type Actor,
  type AuditLogEntry,
  type AuditRecord,
  auditEntry,
  auditKeptSince,
  auditNote,
  auditPartition,
  describeActor,
  entryPrefix,
  type Origin,
  systemAudit,
} from './record.ts';
