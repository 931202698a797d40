export { exportEntries, type Format } from './export.ts';
export { type Filter, spanOf } from './filter.ts';
export { type Entry, listEntries } from './read.ts';
export { type Actor, auditEntry, auditPartition, entryPrefix, type Origin } from './record.ts';
