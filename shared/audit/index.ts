export { type Filter, spanOf } from './audit-filter.ts';
export { exportEntries, type Format } from './export-audit-log.ts';
export { listEntries } from './list-audit-log.ts';
export {
  type Actor,
  type AuditLogEntry,
  auditEntry,
  auditNote,
  auditPartition,
  describeActor,
  entryPrefix,
  type Origin,
  systemAudit,
} from './record.ts';
