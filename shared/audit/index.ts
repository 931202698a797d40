export { type Actor, auditEntry, auditPartition, entryPrefix, type Origin } from './record.ts';
